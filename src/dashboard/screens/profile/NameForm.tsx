// The user's own name and picture, the same in each of their organizations.
import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { EditProfileDocument } from '../../../../generated/screens/profile/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Panel } from '../../parts/Panel.tsx';
import { useMe } from '../../session/me.ts';
import { Saved } from './Saved.tsx';

const schema = z.object({ name: z.string().trim().min(1, 'Enter your name.').max(256), avatar: z.string().max(2_048) });

export function NameForm() {
  const { me } = useMe();
  const [saved, setSaved] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { name: me.name ?? '', avatar: me.avatar ?? '' },
    schema,
    document: EditProfileDocument,
    variables: (input) => ({ input }),
    done: ({ userEdit: { name, avatar } }) => {
      // As the service keeps them.
      form.setValues({ name: name ?? '', avatar: avatar ?? '' });
      setSaved(true);
    },
  });
  return (
    <Panel title="Name and picture">
      <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" autoComplete="name" {...form.getInputProps('name')} />
          <TextInput
            label="Picture"
            description="Normally a URL. The service keeps the text and never opens it."
            {...form.getInputProps('avatar')}
          />
          <FormFoot error={error} sending={sending} label="Save">
            <Saved>{saved ? 'Saved.' : null}</Saved>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}
