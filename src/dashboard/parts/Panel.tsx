// A bordered part of a screen with its heading.
import { Group, Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" mb="sm" gap="xs">
          {title !== undefined && (
            <Title order={2} size="h5" miw={0} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
          )}
          {actions}
        </Group>
      )}
      {children}
    </Paper>
  );
}
