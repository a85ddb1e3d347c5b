// Deliveries with their attempts and the reason of the last failure.
import { Button, Group, Text } from '@mantine/core';
import type { WebhookDeliveriesQuery } from '../../../../generated/screens/webhooks/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TwoLines } from '../../parts/table/TwoLines.tsx';
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
  connection: 'no connection, no valid certificate, or no such name',
  address: 'not an address of the public internet',
  secret: 'the service cannot open the secret, and retries',
  disabled: 'the webhook was off',
};

/** The status and the reason of the last attempt, where there was one. */
function lastOf({ lastStatus, lastError }: Delivery): string {
  const reason = lastError === null ? null : (errors[lastError] ?? lastError);
  return [lastStatus, reason].filter((part) => part !== null).join(', ') || 'No response yet';
}

const attemptsOf = ({ attempts, lastAttemptAt }: Delivery, timeZone: string): string =>
  lastAttemptAt === null ? count(attempts) : `${count(attempts)}, last ${time(lastAttemptAt, timeZone, 'second')}`;

/** A failing delivery holds the later ones of its object, whose time has come and which are not sent. */
function nextOf({ nextAttemptAt }: Delivery, timeZone: string): string {
  if (nextAttemptAt === null) return 'No further one';
  if (Date.parse(nextAttemptAt) <= Date.now()) return 'Due, or held by an earlier one';
  return `Next ${time(nextAttemptAt, timeZone, 'second')}`;
}

const State = ({ of: { state } }: { of: Delivery }) => (
  <Text inherit c={state === 'PARKED' ? 'var(--bad)' : undefined}>
    {stateNames[state] ?? state}
  </Text>
);

export function DeliveriesTable({ nodes, show, again }: DeliveriesTableProps) {
  const { timeZone } = useApplication();
  const columns: Column<Delivery>[] = [
    { key: 'at', head: `Happened (${timeZone})`, cell: ({ createdAt }) => time(createdAt, timeZone, 'second') },
    { key: 'event', head: 'Event', cell: ({ event }) => eventNames[event] ?? event },
    {
      key: 'state',
      head: 'State and response',
      wrap: true,
      cell: (delivery) => <TwoLines first={<State of={delivery} />} second={lastOf(delivery)} />,
    },
    {
      key: 'attempts',
      head: 'Attempts',
      cell: (delivery) => <TwoLines first={attemptsOf(delivery, timeZone)} second={nextOf(delivery, timeZone)} />,
    },
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
