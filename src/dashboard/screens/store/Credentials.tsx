// The form of the store credentials, which no operation reads again, and the way to clear them.
import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { StoreCredentialsSaveDocument } from '../../../../generated/screens/store/graphql.ts';
import { ConfirmedMutation } from '../../parts/ConfirmedMutation.tsx';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import type { StoreApplication } from './Store.tsx';

const identifier = z.string().trim().min(1, 'Enter it as the store shows it.').max(256, 'At most 256 characters.');
const schema = z.object({
  issuerId: identifier,
  keyId: identifier,
  privateKey: z
    .string()
    .trim()
    .startsWith('-----BEGIN PRIVATE KEY-----', 'Paste the whole file, from its first line on.'),
  bundleId: z.string().max(256, 'At most 256 characters.'),
});
const initial = { issuerId: '', keyId: '', privateKey: '', bundleId: '' };

export function Credentials({ store }: { store: StoreApplication }) {
  const [editing, setEditing] = useState(false);
  const [clearing, setClearing] = useState(false);
  return (
    <Stack gap="sm" align="stretch">
      <Text size="sm">
        With credentials the service asks the store about each purchase, and reads missed notifications once a day. It
        stores them encrypted, and nobody can read them again.
      </Text>
      {editing || !store.storeCredentialsSet ? (
        <CredentialsForm store={store} done={() => setEditing(false)} />
      ) : (
        <Button.Group>
          <Button size="sm" variant="default" onClick={() => setEditing(true)}>
            Replace …
          </Button>
          <Button size="sm" variant="default" onClick={() => setClearing(true)}>
            Clear …
          </Button>
        </Button.Group>
      )}
      <ConfirmedMutation
        document={StoreCredentialsSaveDocument}
        variables={clearing ? { input: { applicationId: store.id } } : null}
        changes={['Application']}
        close={() => setClearing(false)}
        title="Clear the store credentials"
        label="Clear"
      >
        The service asks the store about no purchase any more, until somebody sets credentials again. What it knows
        stays.
      </ConfirmedMutation>
    </Stack>
  );
}

function CredentialsForm({ store, done }: { store: StoreApplication; done: () => void }) {
  const { form, submit, sending, error } = useApiForm({
    initial,
    schema,
    document: StoreCredentialsSaveDocument,
    changes: ['Application', 'StoreTransaction'],
    variables: ({ bundleId, ...input }) => ({
      input: { applicationId: store.id, ...input, bundleId: bundleId.trim() || null },
    }),
    done,
  });
  return (
    <form onSubmit={submit} noValidate autoComplete="off">
      <Stack gap="sm" maw={560}>
        <TextInput label="Issuer id" {...form.getInputProps('issuerId')} />
        <TextInput label="Key id" {...form.getInputProps('keyId')} />
        <Textarea
          label="Private key"
          description="The text of the .p8 file that the store gives: a P-256 key in PKCS#8"
          placeholder="-----BEGIN PRIVATE KEY-----"
          rows={6}
          spellCheck={false}
          {...form.getInputProps('privateKey')}
        />
        <TextInput
          label="Bundle identifier at the store"
          description={`Empty: ${store.bundleId}, as in the settings`}
          {...form.getInputProps('bundleId')}
        />
        <FormFoot error={error} sending={sending} label="Save the credentials">
          {store.storeCredentialsSet && (
            <Button variant="default" onClick={done}>
              Cancel
            </Button>
          )}
        </FormFoot>
      </Stack>
    </form>
  );
}
