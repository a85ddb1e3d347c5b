// What was sent to one webhook and what is to be sent: by state, in pages, and again on demand.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import {
  DeliverySendAgainDocument,
  WebhookDeliveriesDocument,
  type WebhookDeliveriesQuery,
} from '../../../../generated/screens/webhooks/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { Panel } from '../../parts/Panel.tsx';
import { ErrorState, Loaded } from '../../parts/states.tsx';
import { DeliveriesTable, type Delivery } from './DeliveriesTable.tsx';
import { BodyDialog } from './BodyDialog.tsx';
import { deliveryStates } from './search.ts';
import type { Webhook } from './Webhooks.tsx';
import { stateNames } from './words.ts';

const rereadMillis = 3_000;
const context = { additionalTypenames: ['WebhookDelivery'] };

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { state, after } = useSearch({ from: '/inside/apps/$applicationId/webhooks' });
  const navigate = useNavigate({ from: '/apps/$applicationId/webhooks' });
  const variables = { webhookId: webhook.id, state: state ?? null, after: after ?? null };
  const [result, read] = useQuery({ query: WebhookDeliveriesDocument, variables, context });
  const [sent, sendAgain] = useMutation(DeliverySendAgainDocument);
  const [shown, setShown] = useState<Delivery | null>(null);
  const error = apiErrorOf(sent.error);
  useWaiting(result.data, () => read({ requestPolicy: 'network-only' }));
  return (
    <Panel
      title="Deliveries"
      actions={
        <NativeSelect
          size="xs"
          aria-label="State"
          value={state ?? ''}
          onChange={({ target }) => void navigate({ search: { webhook: webhook.id, ...readState(target.value) } })}
          data={[
            { value: '', label: 'In any state' },
            ...deliveryStates.map((value) => ({ value, label: stateNames[value] })),
          ]}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          To {webhook.url}, newest first. A delivery is kept for 30 days after it was delivered or given up.
          {!webhook.enabled && ' The webhook is off: nothing can be sent again until it is on.'}
        </Text>
        {error && <ErrorState error={error} />}
        <Loaded result={result} pick={({ webhookDeliveries }) => webhookDeliveries} retry={read}>
          {({ nodes, endCursor, hasMore }) => (
            <>
              <DeliveriesTable
                nodes={nodes}
                show={setShown}
                again={webhook.enabled ? ({ id }) => void sendAgain({ id }, context) : null}
              />
              <Group gap="xs">
                {after !== undefined && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => void navigate({ search: { webhook: webhook.id, state } })}
                  >
                    Newest
                  </Button>
                )}
                {hasMore && endCursor !== null && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => void navigate({ search: (last) => ({ ...last, after: endCursor }) })}
                  >
                    Older
                  </Button>
                )}
              </Group>
            </>
          )}
        </Loaded>
      </Stack>
      <BodyDialog delivery={shown} close={() => setShown(null)} />
    </Panel>
  );
}

const readState = (value: string) => {
  const state = deliveryStates.find((one) => one === value);
  return state ? { state } : {};
};

/** Reads again while something waits, so that the result of an attempt appears by itself. */
function useWaiting(data: WebhookDeliveriesQuery | undefined, read: () => void): void {
  const waits = data?.webhookDeliveries.nodes.some(({ state }) => state === 'PENDING') ?? false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && read(), rereadMillis);
    return () => clearInterval(timer);
  });
}
