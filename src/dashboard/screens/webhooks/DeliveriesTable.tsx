// Deliveries with their attempts and the reason of the last failure.
import { Button, Group, Text } from '@mantine/core';
import type { WebhookDeliveriesQuery } from '../../../../generated/screens/webhooks/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { eventNames, stateNames } from './words.ts';

export type Delivery = WebhookDeliveriesQuery['webhookDeliveries']['nodes'][number];

interface DeliveriesTableProps {
  nodes: Delivery[];
  show: (delivery: Delivery) => void;
  /** Null: nothing can be sent again. */
  again: ((delivery: Delivery) => void) | null;
}

const errors: Record<string, string> = {
  status: 'no success',
  redirect: 'a redirect, which is not followed',
  gone: 'gone',
  timeout: 'no response within 10 s',
  connection: 'no connection, or no valid certificate',
  address: 'not an address of the public internet',
  disabled: 'the webhook was off',
};

/** The status and the reason of the last attempt, where there was one. */
function lastOf({ lastStatus, lastError }: Delivery): string {
  const reason = lastError === null ? null : (errors[lastError] ?? lastError);
  return [lastStatus, reason].filter((part) => part !== null).join(', ') || '—';
}

export function DeliveriesTable({ nodes, show, again }: DeliveriesTableProps) {
  const { timeZone } = useApplication();
  const at = (instant: string | null) => (instant === null ? '—' : time(instant, timeZone, 'second'));
  const columns: Column<Delivery>[] = [
    { key: 'at', head: `Happened (${timeZone})`, cell: ({ createdAt }) => at(createdAt) },
    { key: 'event', head: 'Event', cell: ({ event }) => eventNames[event] ?? event },
    {
      key: 'state',
      head: 'State',
      cell: ({ state }) => (
        <Text size="sm" c={state === 'PARKED' ? 'var(--bad)' : undefined}>
          {stateNames[state] ?? state}
        </Text>
      ),
    },
    { key: 'attempts', head: 'Attempts', numeric: true, cell: ({ attempts }) => count(attempts) },
    { key: 'last', head: 'Last attempt', cell: ({ lastAttemptAt }) => at(lastAttemptAt) },
    { key: 'result', head: 'Response', title: lastOf, cell: lastOf },
    { key: 'next', head: 'Next attempt', cell: ({ nextAttemptAt }) => at(nextAttemptAt) },
    {
      key: 'actions',
      head: 'Actions',
      cell: (delivery) => (
        <Group gap={6} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => show(delivery)}
            aria-label={`Body of ${delivery.id}`}
          >
            Body
          </Button>
          {again && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => again(delivery)}
              aria-label={`Send again: ${delivery.id}`}
            >
              Send again
            </Button>
          )}
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      caption="Deliveries, newest first"
      columns={columns}
      rows={nodes}
      rowKey={({ id }) => id}
      empty={<Empty title="No deliveries here">An event that happens from now on appears here.</Empty>}
    />
  );
}
