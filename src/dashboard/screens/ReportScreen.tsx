// The one way in which screens show a report: head with its switch, the question, and the figures with their states.
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageHead, Panel } from '../parts/layout.tsx';
import type { Answered } from '../parts/queries.ts';
import { Empty, Loaded } from '../parts/states.tsx';

interface ReportScreenProps<Data, Report> {
  title: string;
  about: string;
  /** Of the screen, as `useAddress` gives it. */
  address: { search: { test?: boolean }; change: (next: { test?: boolean }) => void };
  /** What the switch in the head adds to the figures. */
  adds?: string;
  /** The range and the editor. */
  question?: ReactNode;
  /** The heading of the figures, where they have a panel. */
  panel?: string;
  /** Why nothing is asked yet. */
  missing?: { title: string; text: string } | null;
  result: Answered<Data>;
  reread: () => void;
  /** Null where the service gave none. */
  pick: (data: Data) => Report | null | undefined;
  lines?: number;
  children: (report: Report) => ReactNode;
  below?: ReactNode;
}

export function ReportScreen<Data, Report>(props: ReportScreenProps<Data, Report>) {
  const { title, about, address, adds = 'Test devices', question, panel, missing, below } = props;
  const { result, reread, pick, lines, children } = props;
  const figures = missing ? (
    <Empty title={missing.title}>{missing.text}</Empty>
  ) : (
    <Loaded result={result} pick={pick} retry={reread} lines={lines}>
      {children}
    </Loaded>
  );
  return (
    <>
      <PageHead title={title} about={about}>
        <Switch
          label={adds}
          checked={address.search.test ?? false}
          onChange={({ target }) => address.change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        {question}
        {panel === undefined ? figures : <Panel title={panel}>{figures}</Panel>}
        {below}
      </Stack>
    </>
  );
}

/** Below an editor whose question is asked by its button: what the figures below are of. */
export function EditorFoot({ label, note, show }: { label: string; note: string; show: () => void }) {
  return (
    <Group gap="sm">
      <Button size="xs" onClick={show}>
        {label}
      </Button>
      <Text size="xs" c="dimmed" role="status">
        {note}
      </Text>
    </Group>
  );
}
