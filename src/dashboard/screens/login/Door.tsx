// The frame of the pages in front of the login.
import { Box, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

export function Door({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Dashboard`);
  return (
    <Box component="main" w="min(26rem, 100%)" mx="auto" mt="8vh" p={12}>
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
    </Box>
  );
}
