// The frame of the pages in front of the login.
import { Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './Door.module.css';

export function Door({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Dashboard`);
  return (
    <main className={classes.door}>
      <Text fw={700} mb="md" ta="center">
        Campaigns &amp; analytics
      </Text>
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  );
}
