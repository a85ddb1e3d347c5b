// What was sent to one webhook and what is to be sent: by state, in pages, and again on demand.
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import {
  DeliverySendAgainDocument,
  WebhookDeliveriesDocument,
} from '../../../../generated/screens/webhooks/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { ErrorState, Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { usePages } from '../../parts/table/pages.ts';
import { useReread } from '../../parts/useReread.ts';
import { DeliveriesTable, type Delivery } from './DeliveriesTable.tsx';
import { BodyDialog } from './BodyDialog.tsx';
import { deliveryStates } from '../searches.ts';
import type { Webhook } from './Webhooks.tsx';
import { stateNames } from './words.ts';

const rereadMillis = 3_000;
const context = { additionalTypenames: ['WebhookDelivery'] };

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { state, after } = useSearch({ from: '/inside/apps/$applicationId/webhooks' });
  const navigate = useNavigate({ from: '/apps/$applicationId/webhooks' });
  const pages = usePages(after, (cursor) => void navigate({ search: (last) => ({ ...last, after: cursor }) }));
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
          To <GivenText text={webhook.url} />, newest first. A delivery is kept for 30 days after it was delivered or
          given up.
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
              <CursorPages
                one="delivery"
                many="deliveries"
                pages={pages}
                shown={nodes.length}
                endCursor={endCursor}
                hasMore={hasMore}
              />
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
