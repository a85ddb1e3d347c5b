// The label of a key: of a new one, and of one that exists.
import { Modal, Stack, TextInput } from '@mantine/core';
import { z } from 'zod';
import { KeyCreateDocument, KeyLabelDocument } from '../../../../generated/screens/keys/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm, type ApiForm } from '../../parts/form/useApiForm.ts';

const schema = z.object({ label: z.string().max(256, 'A label has at most 256 characters.') });
const changes = ['Application', 'ApiKey'];

export function NewKeyDialog(props: { applicationId: string; opened: boolean; close: () => void; made: Made }) {
  const { opened, close, ...rest } = props;
  return (
    <Modal opened={opened} onClose={close} title="New key">
      <NewKey {...rest} />
    </Modal>
  );
}

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

export function LabelDialog({ labelled, close }: { labelled: Labelled | null; close: () => void }) {
  return (
    <Modal opened={labelled !== null} onClose={close} title="Label of the key">
      {labelled && <Relabel labelled={labelled} done={close} />}
    </Modal>
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
