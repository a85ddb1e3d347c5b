// The webhooks of an application, each with its events, whether it is on, and its deliveries.
import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { count, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TwoLines } from '../../parts/table/TwoLines.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Webhooks.module.css';
import { eventNames } from './words.ts';
import type { Webhook } from './Webhooks.tsx';

interface WebhooksTableProps {
  webhooks: Webhook[];
  edit: (webhook: Webhook) => void;
  remove: (webhook: Webhook) => void;
}

const eventsOf = ({ events }: Webhook): string =>
  events === null ? 'All events, later ones too' : events.map((event) => eventNames[event] ?? event).join(', ');

function stateOf({ enabled, gone }: Webhook): string {
  if (enabled) return 'On';
  return gone ? 'Off: the server said 410' : 'Off';
}

/** Null: none was lost. */
function lostBy({ droppedEvents, lastDroppedAt }: Webhook, timeZone: string): string | null {
  if (lastDroppedAt === null) return null;
  return `${count(droppedEvents)} events lost, last ${time(lastDroppedAt, timeZone)}: too many deliveries waited`;
}

export function WebhooksTable({ webhooks, edit, remove }: WebhooksTableProps) {
  const { applicationId, timeZone } = useApplication();
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      head: 'URL and events',
      title: (webhook) => `${webhook.url}: ${eventsOf(webhook)}`,
      cell: (webhook) => <TwoLines first={webhook.url} second={eventsOf(webhook)} />,
    },
    {
      key: 'state',
      head: 'State',
      cell: (webhook) => (
        <>
          <Text inherit c={webhook.enabled ? undefined : 'var(--bad)'}>
            {stateOf(webhook)}
          </Text>
          <Text inherit c="var(--bad)">
            {lostBy(webhook, timeZone)}
          </Text>
        </>
      ),
    },
    {
      key: 'edited',
      head: `Edited (${timeZone})`,
      title: ({ updatedBy, createdAt, createdBy }) =>
        `Edited by ${updatedBy}; created ${time(createdAt, timeZone)} by ${createdBy}`,
      className: classes.by,
      cell: ({ updatedAt, updatedBy }) => <TwoLines first={time(updatedAt, timeZone)} second={`by ${updatedBy}`} />,
    },
    {
      key: 'deliveries',
      head: 'Deliveries',
      cell: ({ id, url }) => (
        <Anchor
          size="sm"
          aria-label={`Show the deliveries to ${url}`}
          renderRoot={(props) => (
            <Link {...props} to="/apps/$applicationId/webhooks" params={{ applicationId }} search={{ webhook: id }} />
          )}
        >
          Show
        </Anchor>
      ),
    },
    {
      key: 'actions',
      head: 'Actions',
      cell: (webhook) => (
        <Group gap={6} wrap="nowrap">
          <Action label="Edit …" of={webhook} run={edit} />
          <Action label="Delete …" of={webhook} run={remove} />
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      caption="Webhooks, oldest first"
      columns={columns}
      rows={webhooks}
      rowKey={({ id }) => id}
      empty={
        <Empty title="No webhooks yet">
          Your server is told when a campaign changes its state, and when an entitlement begins, renews or ends.
        </Empty>
      }
    />
  );
}

function Action({ label, of: webhook, run }: { label: string; of: Webhook; run: (webhook: Webhook) => void }) {
  return (
    <Button size="compact-xs" variant="default" onClick={() => run(webhook)} aria-label={`${label} ${webhook.url}`}>
      {label}
    </Button>
  );
}
