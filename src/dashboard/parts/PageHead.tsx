// The head of a screen: its heading, one line on what it shows, and its actions.
import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './PageHead.module.css';

export function PageHead({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  useDocumentTitle(`${title} · Dashboard`);
  return (
    <Group justify="space-between" align="start" mb="md" gap="sm">
      <div className={classes.text}>
        <Title order={1} size="h3" tabIndex={-1}>
          {title}
        </Title>
        {about !== undefined && (
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
