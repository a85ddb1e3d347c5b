// The keys of an application: create, label, read the secret, revoke, and how to rotate.
import { Badge, Button, Group, List, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  KeyCreateDocument,
  KeyLabelDocument,
  KeyRevokeDocument,
  KeysListDocument,
  type KeysListQuery,
} from '../../../../generated/screens/keys/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { TwoLines, type Column } from '../../parts/DataTable.tsx';
import { ConfirmedMutation, Dialog } from '../../parts/dialogs.tsx';
import { ago, time } from '../../parts/figures.ts';
import { FormFoot, useApiForm, type ApiForm } from '../../parts/form.tsx';
import { Panel } from '../../parts/layout.tsx';
import { useMay } from '../../parts/roles.tsx';
import { Empty, ErrorState } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useKeySecret } from '../../parts/useKeySecret.ts';
import { ListScreen, RowAction } from '../ListScreen.tsx';

export function Keys() {
  const { applicationId, application, timeZone, search, change } = useAddress('/apps/$applicationId/keys');
  const { revoked = false } = search;
  const variables = { revoked };
  const [result, read] = useQuery({ query: KeysListDocument, variables, context, pause: !useMay('admin') });
  const [creating, setCreating] = useState(false);
  const [open, setOpen] = useState<{ action: KeyAction; key: Key } | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const pick = ({ applications }: KeysListQuery) => applications.find(({ id }) => id === applicationId)?.apiKeys;
  const live = ((result.data && pick(result.data)) ?? []).filter(({ revokedAt }) => revokedAt === null);
  const of = (action: KeyAction): Key | null => (open?.action === action ? open.key : null);
  return (
    <ListScreen
      title="Keys"
      about={`With a key the SDK sends uploads for ${application?.name ?? 'the application'}.`}
      allowed={{ least: 'admin', what: 'read and edit the keys of an application' }}
      panel={{
        title: 'Keys',
        actions: (
          <Group gap="sm">
            <Switch
              size="sm"
              label="Revoked keys too"
              checked={revoked}
              onChange={({ target }) => change({ revoked: target.checked || undefined })}
            />
            <Button size="sm" onClick={() => setCreating(true)}>
              New key
            </Button>
          </Group>
        ),
      }}
      {...{ result, read, pick, lines: 4 }}
      caption="Keys, oldest first"
      columns={columnsOf(timeZone, (action, key) => setOpen({ action, key }))}
      rowKey={(key) => key.public}
      empty={
        <Empty title="No live key">The API takes nothing for this application until it has a key: create one.</Empty>
      }
    >
      <Rotation />
      <Revocation of={of('revoke')} isLast={live.length === 1} close={close} />
      <Dialog opened={creating} close={() => setCreating(false)} title="New key">
        <NewKey
          applicationId={applicationId}
          made={(publicKey) => {
            setCreating(false);
            setMade(publicKey);
          }}
        />
      </Dialog>
      <LabelDialog labelled={of('label')} close={close} />
      <SecretDialog
        publicKey={made ?? of('secret')?.public ?? null}
        close={() => {
          setMade(null);
          close();
        }}
      />
    </ListScreen>
  );
}

const context = { additionalTypenames: ['ApiKey'] };

function Revocation({ of: key, isLast, close }: { of: Key | null; isLast: boolean; close: () => void }) {
  return (
    <ConfirmedMutation
      document={KeyRevokeDocument}
      variables={key && { public: key.public }}
      changes={['Application', 'ApiKey']}
      close={close}
      title={`Revoke ${key ? nameOf(key) : 'the key'}`}
      label="Revoke for good"
    >
      <List size="sm" spacing={4}>
        <List.Item>
          {key === null || key.lastUsed === null
            ? 'No request has carried this key.'
            : `It was last used ${ago(key.lastUsed)}.`}
        </List.Item>
        <List.Item>
          Within a second the API refuses each request with this key (HTTP 404), and SDKs that carry it stop sending.
        </List.Item>
        <List.Item>They keep their data on the device until a version of the app with another key sends it.</List.Item>
        <List.Item>Stored data stays. The secret is erased. Nobody can undo it.</List.Item>
        {isLast && (
          <List.Item>
            <Text span size="sm" fw={600}>
              It is the last live key of the application.
            </Text>
          </List.Item>
        )}
      </List>
    </ConfirmedMutation>
  );
}

function Rotation() {
  return (
    <Panel title="How to replace a key">
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>Create a new key and label it with the release that will carry it.</List.Item>
        <List.Item>Release the app with the new key. Both keys work meanwhile.</List.Item>
        <List.Item>Watch “Last used” of the old key until no users of the old version are left.</List.Item>
        <List.Item>Revoke the old key.</List.Item>
      </List>
    </Panel>
  );
}

type Key = NonNullable<KeysListQuery['applications'][number]['apiKeys']>[number];
type KeyAction = 'secret' | 'label' | 'revoke';

/** How people tell keys apart: the label, else the beginning of the public key. */
const nameOf = (key: Key): string => key.label ?? `${key.public.slice(0, 12)}…`;

function columnsOf(timeZone: string, act: (action: KeyAction, key: Key) => void): Column<Key>[] {
  return [
    {
      key: 'key',
      head: 'Key',
      title: ({ label }) => label ?? undefined,
      cell: (key) => <Name of={key} timeZone={timeZone} />,
    },
    {
      key: 'used',
      head: `Last used (${timeZone})`,
      cell: ({ lastUsed: at }) =>
        at === null ? <Dimmed text="Never" /> : <TwoLines first={time(at, timeZone)} second={ago(at)} />,
    },
    {
      key: 'created',
      head: 'Created',
      style: { maxWidth: '13rem' },
      title: ({ createdBy }) => createdBy ?? undefined,
      cell: ({ createdAt, createdBy }) => (
        <TwoLines first={time(createdAt, timeZone)} second={createdBy === null ? '' : `by ${createdBy}`} />
      ),
    },
    { key: 'actions', head: 'Actions', cell: (key) => <Actions of={key} act={(action) => act(action, key)} /> },
  ];
}

/** The label above the public key. */
function Name({ of: key, timeZone }: { of: Key; timeZone: string }) {
  return (
    <Stack gap={4}>
      <Group gap={6} wrap="nowrap">
        {key.label === null ? (
          <Dimmed text="No label" />
        ) : (
          <Text inherit truncate>
            {key.label}
          </Text>
        )}
        {key.revokedAt !== null && (
          <Badge size="sm" variant="default" tt="none" flex="none">
            Revoked {time(key.revokedAt, timeZone, 'date')}
          </Badge>
        )}
      </Group>
      <Copy value={key.public} label={`the public key of ${nameOf(key)}`} />
    </Stack>
  );
}

const Dimmed = ({ text }: { text: string }) => (
  <Text inherit c="dimmed">
    {text}
  </Text>
);

function Actions({ of: key, act }: { of: Key; act: (action: KeyAction) => void }) {
  const button = (action: KeyAction, label: string) => (
    <RowAction label={label} name={`${label}: ${nameOf(key)}`} run={() => act(action)} />
  );
  return (
    <Group gap={6} wrap="nowrap">
      {key.revokedAt === null && button('secret', 'Secret …')}
      {button('label', 'Label …')}
      {key.revokedAt === null && button('revoke', 'Revoke …')}
    </Group>
  );
}

const schema = z.object({ label: z.string().max(256, 'A label has at most 256 characters.') });
const changes = ['Application', 'ApiKey'];

type Made = (publicKey: string) => void;

function NewKey({ applicationId, made }: { applicationId: string; made: Made }) {
  const form = useApiForm({
    initial: { label: '' },
    schema,
    document: KeyCreateDocument,
    changes,
    variables: ({ label }) => ({ applicationId, label }),
    done: ({ apiKeyCreate }) => made(apiKeyCreate.public),
  });
  return <LabelForm form={form} send="Create the key" />;
}

interface Labelled {
  public: string;
  label: string | null;
}

/** The label of a key: of a new one, and of one that exists. */
function LabelDialog({ labelled, close }: { labelled: Labelled | null; close: () => void }) {
  return (
    <Dialog opened={labelled !== null} close={close} title="Label of the key">
      {labelled && <Relabel labelled={labelled} done={close} />}
    </Dialog>
  );
}

function Relabel({ labelled, done }: { labelled: Labelled; done: () => void }) {
  const form = useApiForm({
    initial: { label: labelled.label ?? '' },
    schema,
    document: KeyLabelDocument,
    changes,
    variables: ({ label }) => ({ input: { public: labelled.public, label } }),
    done,
  });
  return <LabelForm form={form} send="Save" />;
}

function LabelForm({
  form: { form, submit, sending, error },
  send,
}: {
  form: ApiForm<{ label: string }>;
  send: string;
}) {
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Label"
          description="For people, for example: Release 4.2. It may stay empty."
          data-autofocus
          {...form.getInputProps('label')}
        />
        <FormFoot error={error} sending={sending} label={send} />
      </Stack>
    </form>
  );
}

/** Shows the secret of one key on demand: nothing is read before the button, because the audit log records it. */
function SecretDialog({ publicKey, close }: { publicKey: string | null; close: () => void }) {
  return (
    <Dialog opened={publicKey !== null} close={close} title="Key pair">
      {publicKey !== null && <Pair publicKey={publicKey} />}
    </Dialog>
  );
}

function Pair({ publicKey }: { publicKey: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const { read, reading, error } = useKeySecret();
  return (
    <Stack gap="sm" align="start">
      <Text size="sm">Public key, which the app sends with each request:</Text>
      <Copy value={publicKey} label="the public key" />
      <Text size="sm">Secret key, with which the SDK signs uploads:</Text>
      {secret === null ? (
        <Button
          size="sm"
          variant="default"
          data-autofocus
          loading={reading}
          onClick={() => void read(publicKey).then(setSecret)}
        >
          Show the secret
        </Button>
      ) : (
        <Copy value={secret} label="the secret key" />
      )}
      <Text size="sm" c="dimmed">
        The audit log records each reading of a secret, with who read it.
      </Text>
      {error && <ErrorState error={error} />}
    </Stack>
  );
}
