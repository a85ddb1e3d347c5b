// The keys of an application: create, label, read the secret, revoke, and how to rotate.
import { Button, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { KeyRevokeDocument, KeysListDocument, type KeysListQuery } from '../../../../generated/screens/keys/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { ConfirmedMutation } from '../../parts/ConfirmedMutation.tsx';
import { ago } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { KeysTable, nameOf, type Key, type KeyAction } from './KeysTable.tsx';
import { LabelDialog, NewKeyDialog } from './LabelDialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';

export function Keys() {
  const { application } = useApplication();
  return (
    <>
      <PageHead
        title="Keys"
        about={`With a key the SDK sends uploads for ${application?.name ?? 'the application'}.`}
      />
      <Allowed least="admin" what="read and edit the keys of an application">
        <Stack>
          <KeysOfApplication />
          <Rotation />
        </Stack>
      </Allowed>
    </>
  );
}

const context = { additionalTypenames: ['ApiKey'] };

function KeysOfApplication() {
  const { applicationId, timeZone } = useApplication();
  const { revoked = false } = useSearch({ from: '/inside/apps/$applicationId/keys' });
  const navigate = useNavigate({ from: '/apps/$applicationId/keys' });
  const [result, read] = useQuery({ query: KeysListDocument, variables: { revoked }, context });
  const [creating, setCreating] = useState(false);
  const [open, setOpen] = useState<{ action: KeyAction; key: Key } | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const pick = ({ applications }: KeysListQuery) => applications.find(({ id }) => id === applicationId)?.apiKeys;
  const of = (action: KeyAction): Key | null => (open?.action === action ? open.key : null);
  return (
    <Panel
      title="Keys"
      actions={
        <Group gap="sm">
          <Switch
            size="sm"
            label="Revoked keys too"
            checked={revoked}
            onChange={({ target }) => void navigate({ search: target.checked ? { revoked: true } : {} })}
          />
          <Button size="sm" onClick={() => setCreating(true)}>
            New key
          </Button>
        </Group>
      }
    >
      <Loaded result={result} pick={pick} retry={read}>
        {(keys) => (
          <>
            <KeysTable keys={keys} timeZone={timeZone} act={(action, key) => setOpen({ action, key })} />
            <Revocation of={of('revoke')} live={keys.filter(({ revokedAt }) => revokedAt === null)} close={close} />
          </>
        )}
      </Loaded>
      <NewKeyDialog
        applicationId={applicationId}
        opened={creating}
        close={() => setCreating(false)}
        made={(publicKey) => {
          setCreating(false);
          setMade(publicKey);
        }}
      />
      <LabelDialog labelled={of('label')} close={close} />
      <SecretDialog
        publicKey={made ?? of('secret')?.public ?? null}
        close={() => {
          setMade(null);
          close();
        }}
      />
    </Panel>
  );
}

function Revocation({ of: key, live, close }: { of: Key | null; live: Key[]; close: () => void }) {
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
        {live.length === 1 && (
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
