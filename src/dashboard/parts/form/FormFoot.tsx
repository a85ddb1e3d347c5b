// The end of every form: what went wrong as a whole, and the button that sends.
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/apiError.ts';
import { ErrorState } from '../states.tsx';

interface FormFootProps {
  error: ApiError | null;
  sending: boolean;
  label: string;
  children?: ReactNode;
}

export function FormFoot({ error, sending, label, children }: FormFootProps) {
  return (
    <Stack gap="sm">
      {error && <ErrorState error={error} />}
      <Group>
        <Button type="submit" loading={sending}>
          {label}
        </Button>
        {children}
      </Group>
    </Stack>
  );
}
