// The webhooks of an application and what was sent to them.
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  WebhookDeleteDocument,
  WebhooksListDocument,
  type WebhooksListQuery,
} from '../../../../generated/screens/webhooks/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { ConfirmedMutation } from '../../parts/ConfirmedMutation.tsx';
import { Copy } from '../../parts/Copy.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { Deliveries } from './Deliveries.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { WebhooksTable } from './WebhooksTable.tsx';

export type Webhook = WebhooksListQuery['webhooks'][number];

export function Webhooks() {
  const { applicationId, application } = useApplication();
  return (
    <>
      <PageHead
        title="Webhooks"
        about={`URLs of your own server that are told what happens in ${application?.name ?? 'the application'}.`}
      />
      <Allowed least="admin" what="read and edit webhooks">
        <WebhooksOfApplication key={applicationId} />
      </Allowed>
    </>
  );
}

const context = { additionalTypenames: ['Webhook'] };

function WebhooksOfApplication() {
  const { applicationId } = useApplication();
  const { webhook: chosenId } = useSearch({ from: '/inside/apps/$applicationId/webhooks' });
  const [result, read] = useQuery({ query: WebhooksListDocument, variables: { applicationId }, context });
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Webhook | null>(null);
  const chosen = result.data?.webhooks.find(({ id }) => id === chosenId);
  return (
    <Stack>
      <Panel
        title="Webhooks"
        actions={
          <Button size="sm" onClick={() => setEdited('new')}>
            New webhook
          </Button>
        }
      >
        <Loaded result={result} pick={({ webhooks }) => webhooks} retry={read}>
          {(webhooks) => <WebhooksTable webhooks={webhooks} edit={setEdited} remove={setDeleted} />}
        </Loaded>
      </Panel>
      {chosen && <Deliveries key={chosen.id} webhook={chosen} />}
      <Editing applicationId={applicationId} edited={edited} close={() => setEdited(null)} />
      <Deletion of={deleted} close={() => setDeleted(null)} />
    </Stack>
  );
}

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
      <Modal opened={edited !== null} onClose={close} title={edited === 'new' ? 'New webhook' : 'Edit the webhook'}>
        {edited !== null && (
          <WebhookForm applicationId={applicationId} webhook={edited === 'new' ? null : edited} done={done} />
        )}
      </Modal>
      <Modal
        opened={secret !== null}
        onClose={() => setSecret(null)}
        title="Secret of the webhook"
        closeOnClickOutside={false}
      >
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
      </Modal>
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
      {webhook?.url} gets no more events. Its deliveries are deleted with it. A delivery that is being sent may still
      arrive.
    </ConfirmedMutation>
  );
}
