// What screens are made of: the head, bordered panels, and names with their values.
import { Box, Grid, Group, Paper, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './layout.module.css';

/** The head of a screen: its heading, one line on what it shows, and its actions. */
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

/** A bordered part of a screen with its heading. */
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

export interface Fact {
  name: string;
  /** Null and undefined: nothing is known, shown as `—`. */
  value: ReactNode;
}

interface FactsProps {
  facts: readonly Fact[];
  /** Beside each other, for a few facts at the width of the page. */
  beside?: boolean;
}

interface ColumnsProps {
  /** How wide the first is to the second. */
  widths?: readonly [number, number];
  children: readonly [ReactNode, ReactNode];
}

/** Two columns beside each other, and below each other on a narrow page. */
export function Columns({ widths: [left, right] = [1, 1], children: [first, second] }: ColumnsProps) {
  const all = left + right;
  return (
    <Grid columns={all} gap="md">
      <Grid.Col span={{ base: all, lg: left }}>{first}</Grid.Col>
      <Grid.Col span={{ base: all, lg: right }}>{second}</Grid.Col>
    </Grid>
  );
}

/** Names and values of one object: the names in one column and the values in another, or all beside each other. */
export function Facts({ facts, beside = false }: FactsProps) {
  return (
    <dl className={beside ? classes.beside : classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={beside ? undefined : classes.fact}>
          <dt>{name}</dt>
          <dd>{value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  );
}
