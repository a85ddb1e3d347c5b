// The webhooks of an application and what was sent to them.
import { Button, Checkbox, Group, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import type { WebhookEvent } from '../../../../generated/screens/enums.ts';
import {
  WebhookDeleteDocument,
  WebhookSaveDocument,
  WebhooksListDocument,
  type WebhooksListQuery,
} from '../../../../generated/screens/webhooks/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { type Column, TwoLines } from '../../parts/DataTable.tsx';
import { ConfirmedMutation, Dialog } from '../../parts/dialogs.tsx';
import { count, time } from '../../parts/figures.ts';
import { Form, useApiForm } from '../../parts/form.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { TextLink } from '../../parts/links.tsx';
import { useMay } from '../../parts/roles.tsx';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { ListScreen, RowAction } from '../ListScreen.tsx';
import { Deliveries, eventNames } from './Deliveries.tsx';

export type Webhook = WebhooksListQuery['webhooks'][number];

export function Webhooks() {
  const { applicationId, application, timeZone, search } = useAddress('/apps/$applicationId/webhooks');
  const variables = { applicationId };
  const [result, read] = useQuery({ query: WebhooksListDocument, variables, context, pause: !useMay('admin') });
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Webhook | null>(null);
  const chosen = result.data?.webhooks.find(({ id }) => id === search.webhook);
  return (
    <ListScreen
      title="Webhooks"
      about={`URLs of your own server that are told what happens in ${application?.name ?? 'the application'}.`}
      allowed={{ least: 'admin', what: 'read and edit webhooks' }}
      panel={{
        title: 'Webhooks',
        actions: (
          <Button size="sm" onClick={() => setEdited('new')}>
            New webhook
          </Button>
        ),
      }}
      {...{ result, read, lines: 4 }}
      pick={({ webhooks }) => webhooks}
      caption="Webhooks, oldest first"
      columns={columnsOf({ applicationId, timeZone, edit: setEdited, remove: setDeleted })}
      rowKey={({ id }) => id}
      empty={
        <Empty title="No webhooks yet">
          Your server is told when a campaign changes its state, and when an entitlement begins, renews or ends.
        </Empty>
      }
    >
      {chosen && <Deliveries key={chosen.id} webhook={chosen} />}
      {search.webhook !== undefined && result.data && !chosen && (
        <Empty title="The webhook of this address does not exist any more">Its deliveries are deleted with it.</Empty>
      )}
      <Editing applicationId={applicationId} edited={edited} close={() => setEdited(null)} />
      <Deletion of={deleted} close={() => setDeleted(null)} />
    </ListScreen>
  );
}

const context = { additionalTypenames: ['Webhook'] };

interface EditingProps {
  applicationId: string;
  edited: Webhook | 'new' | null;
  close: () => void;
}

/** The form, and after it the secret where the response has one: no other response has it. */
function Editing({ applicationId, edited, close }: EditingProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const done = (given: string | null): void => {
    setSecret(given);
    close();
  };
  return (
    <>
      <Dialog opened={edited !== null} close={close} title={edited === 'new' ? 'New webhook' : 'Edit the webhook'}>
        {edited !== null && (
          <WebhookForm applicationId={applicationId} webhook={edited === 'new' ? null : edited} done={done} />
        )}
      </Dialog>
      <Dialog opened={secret !== null} close={() => setSecret(null)} title="Secret of the webhook">
        <Stack gap="sm" align="start">
          <Text size="sm">
            Your server verifies the signature of each event with it. It is shown only now: copy it. A later one can be
            made at “Edit”.
          </Text>
          {secret !== null && <Copy value={secret} label="the secret" />}
          <Button size="sm" data-autofocus onClick={() => setSecret(null)}>
            I have copied it
          </Button>
        </Stack>
      </Dialog>
    </>
  );
}

function Deletion({ of: webhook, close }: { of: Webhook | null; close: () => void }) {
  const navigate = useNavigate({ from: '/apps/$applicationId/webhooks' });
  return (
    <ConfirmedMutation
      document={WebhookDeleteDocument}
      variables={webhook && { id: webhook.id }}
      changes={['Webhook']}
      close={close}
      done={() => void navigate({ search: {} })}
      title="Delete the webhook"
      label="Delete"
    >
      {webhook && <GivenText text={webhook.url} />} gets no more events. Its deliveries are deleted with it. A delivery
      that is being sent may still arrive.
    </ConfirmedMutation>
  );
}

interface Shown {
  applicationId: string;
  timeZone: string;
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

function columnsOf({ applicationId, timeZone, edit, remove }: Shown): Column<Webhook>[] {
  return [
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
      style: { maxWidth: '13rem' },
      cell: ({ updatedAt, updatedBy }) => <TwoLines first={time(updatedAt, timeZone)} second={`by ${updatedBy}`} />,
    },
    {
      key: 'deliveries',
      head: 'Deliveries',
      cell: ({ id, url }) => (
        <TextLink
          to="/apps/$applicationId/webhooks"
          params={{ applicationId }}
          search={{ webhook: id }}
          aria-label={`Show the deliveries to ${url}`}
        >
          Show
        </TextLink>
      ),
    },
    {
      key: 'actions',
      head: 'Actions',
      cell: (webhook) => (
        <Group gap={6} wrap="nowrap">
          <RowAction label="Edit …" name={`Edit … ${webhook.url}`} run={() => edit(webhook)} />
          <RowAction label="Delete …" name={`Delete … ${webhook.url}`} run={() => remove(webhook)} />
        </Group>
      ),
    },
  ];
}

const schema = z
  .object({
    url: z.string().trim().min(1, 'Enter the URL.').max(2_048, 'At most 2,048 characters.'),
    which: z.enum(['all', 'chosen']),
    events: z.array(z.custom<WebhookEvent>()),
    enabled: z.boolean(),
    rotateSecret: z.boolean(),
  })
  .refine(({ which, events }) => which === 'all' || events.length > 0, {
    path: ['events'],
    message: 'Choose at least one event.',
  });

interface WebhookFormProps {
  applicationId: string;
  webhook: Webhook | null;
  done: (secret: string | null) => void;
}

/** The form of a webhook: its URL, its events, whether it is on, and a new secret on demand. */
function WebhookForm({ applicationId, webhook, done }: WebhookFormProps) {
  const { form, ...api } = useApiForm({
    initial: {
      url: webhook?.url ?? '',
      which: !webhook?.events ? ('all' as const) : ('chosen' as const),
      events: webhook?.events ?? [],
      enabled: webhook?.enabled ?? true,
      rotateSecret: false,
    },
    schema,
    document: WebhookSaveDocument,
    changes: ['Webhook'],
    variables: ({ url, which, events, enabled, rotateSecret }) => ({
      input: {
        ...(webhook ? { id: webhook.id, enabled, rotateSecret } : { applicationId }),
        url: url.trim(),
        events: which === 'all' ? null : events,
      },
    }),
    done: ({ webhookEdit }) => done(webhookEdit.secret),
  });
  return (
    <Form {...api} label={webhook ? 'Save' : 'Create the webhook'}>
      <TextInput
        label="URL"
        description="Begins with https:// and is reached from the public internet"
        type="url"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Radio.Group label="Events" {...form.getInputProps('which')}>
        <Stack gap={6} mt={6}>
          <Radio value="all" label="All events, later ones too" />
          <Radio value="chosen" label="These events:" />
        </Stack>
      </Radio.Group>
      {form.getValues().which === 'chosen' && (
        <Checkbox.Group aria-label="Chosen events" pl="lg" {...form.getInputProps('events')}>
          <Stack gap={6}>
            {Object.entries(eventNames).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {webhook && (
        <>
          <Switch
            label="On"
            description="Off: it gets no event, and what waits for it is given up."
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
          <Checkbox
            label="Make a new secret"
            description="From then on the new one alone signs, retries too."
            {...form.getInputProps('rotateSecret', { type: 'checkbox' })}
          />
        </>
      )}
    </Form>
  );
}
