// What was sent to one webhook and what is to be sent: by state, in pages, and again on demand.
import { Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { WebhookDeliveryState, WebhookEvent } from '../../../../generated/screens/enums.ts';
import {
  DeliverySendAgainDocument,
  WebhookDeliveriesDocument,
  type WebhookDeliveriesQuery,
} from '../../../../generated/screens/webhooks/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { Copy } from '../../parts/Copy.tsx';
import { TwoLines, type Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { count, time } from '../../parts/figures.ts';
import { ChoiceFilter } from '../../parts/inputs.tsx';
import { Facts, Panel } from '../../parts/layout.tsx';
import { usePages } from '../../parts/pages.tsx';
import { useReread } from '../../parts/queries.ts';
import { Empty, ErrorState } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { ResourceList, RowAction } from '../ListScreen.tsx';
import type { Webhook } from './Webhooks.tsx';

const rereadMillis = 3_000;
const context = { additionalTypenames: ['WebhookDelivery'] };

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { timeZone, search, change } = useAddress('/apps/$applicationId/webhooks');
  const { state, after } = search;
  const at = usePages(after, (next) => change({ after: next }));
  const variables = { webhookId: webhook.id, state: state ?? null, after: after ?? null };
  const [result, read] = useQuery({ query: WebhookDeliveriesDocument, variables, context });
  const [sent, sendAgain] = useMutation(DeliverySendAgainDocument);
  const [shown, setShown] = useState<Delivery | null>(null);
  const error = apiErrorOf(sent.error);
  // The result of an attempt appears by itself.
  const waits = result.data?.webhookDeliveries.nodes.some((delivery) => delivery.state === 'PENDING') ?? false;
  useReread(result, read, waits ? rereadMillis : null);
  return (
    <Panel
      title="Deliveries"
      actions={
        <ChoiceFilter
          aria-label="State"
          any="In any state"
          words={stateNames}
          value={state}
          change={(next) => change({ state: next, after: undefined })}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          To <GivenText text={webhook.url} />, newest first. A delivery is kept for 30 days after it was delivered or
          given up.
          {!webhook.enabled && ' The webhook is off: nothing can be sent again until it is on.'}
        </Text>
        {error && <ErrorState error={error} />}
        <ResourceList
          {...{ result, read, lines: 4 }}
          pick={({ webhookDeliveries }) => webhookDeliveries}
          // It is read again and again, also while nobody goes to another page.
          pages={{ at, one: 'delivery', many: 'deliveries', reading: false }}
          caption="Deliveries, newest first"
          columns={columnsOf({
            timeZone,
            show: setShown,
            again: webhook.enabled ? ({ id }) => void sendAgain({ id }, context) : null,
          })}
          rowKey={({ id }) => id}
          empty={<Empty title="No deliveries here">An event that happens from now on appears here.</Empty>}
        />
      </Stack>
      <BodyDialog delivery={shown} close={() => setShown(null)} />
    </Panel>
  );
}

type Delivery = WebhookDeliveriesQuery['webhookDeliveries']['nodes'][number];

interface Shown {
  timeZone: string;
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

function columnsOf({ timeZone, show, again }: Shown): Column<Delivery>[] {
  return [
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
          <RowAction label="Body" name={`Body of ${delivery.id}`} run={() => show(delivery)} />
          {again && <RowAction label="Send again" name={`Send again: ${delivery.id}`} run={() => again(delivery)} />}
        </Group>
      ),
    },
  ];
}

/** The body of one delivery as the receiver gets it. */
function BodyDialog({ delivery, close }: { delivery: Delivery | null; close: () => void }) {
  return (
    <Modal opened={delivery !== null} onClose={close} title="Body of the delivery" size="lg">
      {delivery && (
        <Stack gap="sm">
          <Facts facts={[{ name: 'webhook-id', value: <Copy value={delivery.id} label="the webhook-id" /> }]} />
          <Copy value={JSON.stringify(delivery.body, null, 2)} label="the body" block />
        </Stack>
      )}
    </Modal>
  );
}

export const eventNames: Record<WebhookEvent, string> = {
  CAMPAIGN_STATE_CHANGED: 'campaign.state_changed',
  ENTITLEMENT_ACTIVATED: 'entitlement.activated',
  ENTITLEMENT_RENEWED: 'entitlement.renewed',
  ENTITLEMENT_EXPIRED: 'entitlement.expired',
  ENTITLEMENT_REVOKED: 'entitlement.revoked',
  ENTITLEMENT_TRANSFERRED: 'entitlement.transferred',
};

const stateNames: Record<WebhookDeliveryState, string> = {
  PENDING: 'Waiting',
  DELIVERED: 'Delivered',
  PARKED: 'Given up',
};
