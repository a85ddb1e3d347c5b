// The form of the store's number of the app, which notifications from production must name.
import { Stack, TextInput } from '@mantine/core';
import { z } from 'zod';
import { StoreCredentialsSaveDocument } from '../../../../generated/screens/store/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import type { StoreApplication } from './Store.tsx';

const schema = z.object({ storeAppId: z.string().regex(/^\s*\d{0,15}\s*$/, 'The number has 1 to 15 digits.') });

export function AppNumber({ store }: { store: StoreApplication }) {
  const { form, submit, sending, error } = useApiForm({
    initial: { storeAppId: store.storeAppId ?? '' },
    schema,
    document: StoreCredentialsSaveDocument,
    changes: ['Application'],
    variables: ({ storeAppId }) => ({ input: { applicationId: store.id, storeAppId: storeAppId.trim() || null } }),
    done: () => undefined,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={560}>
        <TextInput
          label="Number of the app"
          description="Digits, as the store shows it. Empty: none is compared."
          inputMode="numeric"
          {...form.getInputProps('storeAppId')}
        />
        <FormFoot error={error} sending={sending} label="Save the number" />
      </Stack>
    </form>
  );
}
