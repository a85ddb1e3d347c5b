// The states of everything that is loaded: loading, error with its reason, and empty with what to do next.
import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { apiErrorOf, messageOf, type ApiError } from '../api/apiError.ts';

export function Loading({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <Stack gap="xs" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={18} />
      ))}
    </Stack>
  );
}

export function ErrorState({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <Alert color="red" variant="light" title={messageOf(error)} role="alert">
      <Stack gap="xs" align="start">
        {error.code === 'BAD_USER_INPUT' &&
          error.fields.map(({ path, message }) => (
            <Text size="sm" key={path}>
              {path}: {message}
            </Text>
          ))}
        {error.requestId !== null && (
          <Text size="xs" c="dimmed">
            Request {error.requestId}
          </Text>
        )}
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack gap={4} py="lg" align="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text size="sm" c="dimmed" ta="center" component="div">
          {children}
        </Text>
      )}
    </Stack>
  );
}

interface Result<Data> {
  /** Null where the service refused the whole request. */
  data?: Data | null;
  error?: CombinedError;
  fetching: boolean;
}

interface Loaded<Data, Part> {
  result: Result<Data>;
  /** What the screen shows, or null where the service gave none. */
  pick: (data: Data) => Part | null | undefined;
  retry: () => void;
  children: (part: Part) => ReactNode;
  lines?: number;
}

/** Shows the part of a response that `pick` finds; data that is being read again stays on the screen. */
export function Loaded<Data, Part>({ result, pick, retry, children, lines = 4 }: Loaded<Data, Part>) {
  const part = result.data ? pick(result.data) : null;
  if (part !== null && part !== undefined) return <>{children(part)}</>;
  const error = apiErrorOf(result.error);
  if (error) return <ErrorState error={error} retry={retry} />;
  if (result.fetching || !result.data) return <Loading lines={lines} />;
  return <Empty title="Not found">It may have been deleted.</Empty>;
}
