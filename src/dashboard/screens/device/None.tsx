// One quiet line in place of a list without rows: on this screen most lists are empty for most devices.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function None({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
