// The head of a screen: its heading, one line on what it shows, and its actions.
import { Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

export function PageHead({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  useDocumentTitle(`${title} · Dashboard`);
  return (
    <Group justify="space-between" align="start" mb="md" gap="sm">
      {/* Names in it have up to 256 characters without a space. */}
      <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Title order={1} size="h3" tabIndex={-1}>
          {title}
        </Title>
        {about !== undefined && (
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        )}
      </Box>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
