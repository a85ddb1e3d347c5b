// The organizations of the user: goes to another one, founds one, leaves the present one.
import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  FoundOrganizationDocument,
  LeaveOrganizationDocument,
  OrganizationsDocument,
} from '../../../../generated/screens/profile/graphql.ts';
import { SwitchOrganizationDocument } from '../../../../generated/screens/session/graphql.ts';
import { Confirm, Dialog } from '../../parts/dialogs.tsx';
import { Form, useAction, useApiForm } from '../../parts/form.tsx';
import { Panel } from '../../parts/layout.tsx';
import { ErrorState, Loaded } from '../../parts/states.tsx';
import { useMe } from '../../session/me.ts';
import type { Begun } from '../../session/session.ts';
import { useSession } from '../../session/SessionProvider.tsx';

/** Other tabs stay in their organization. This one begins anew, so that nothing of the other organization is left in it. */
function useMove(): (begun: Begun) => void {
  const session = useSession();
  return (begun) => {
    session.begin(begun);
    location.assign('/admin/');
  };
}

export function Organizations() {
  const { organization } = useMe();
  const [organizations, readOrganizations] = useQuery({ query: OrganizationsDocument });
  const move = useMove();
  const { run, sending, error } = useAction(SwitchOrganizationDocument);
  const [dialog, setDialog] = useState<'found' | 'leave' | null>(null);
  const close = (): void => setDialog(null);
  const go = async (id: string): Promise<void> => {
    const data = await run({ id });
    if (data) move(data.organizationSwitch);
  };
  return (
    <Panel title="Organizations">
      <Stack gap="sm">
        <Loaded result={organizations} pick={(data) => data.organizations} retry={readOrganizations}>
          {(list) =>
            list.map(({ id, name }) => (
              <Group key={id} justify="space-between" wrap="nowrap">
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Text>
                {id === organization.id ? (
                  <Badge variant="default">This one</Badge>
                ) : (
                  <Button
                    size="compact-sm"
                    variant="default"
                    loading={sending}
                    aria-label={`Switch to ${name}`}
                    onClick={() => void go(id)}
                  >
                    Switch
                  </Button>
                )}
              </Group>
            ))
          }
        </Loaded>
        {error && <ErrorState error={error} />}
        <Group gap="xs" mt="xs">
          <Button size="compact-sm" variant="default" onClick={() => setDialog('found')}>
            Create an organization
          </Button>
          <Button size="compact-sm" variant="default" c="var(--bad)" onClick={() => setDialog('leave')}>
            Leave this organization
          </Button>
        </Group>
      </Stack>
      <Dialog opened={dialog === 'found'} close={close} title="Create an organization">
        <Found />
      </Dialog>
      <Leave opened={dialog === 'leave'} close={close} />
    </Panel>
  );
}

const schema = z.object({ name: z.string().trim().min(1, 'Enter a name.').max(256) });

function Found() {
  const move = useMove();
  const { form, ...api } = useApiForm({
    initial: { name: '' },
    schema,
    document: FoundOrganizationDocument,
    variables: (input) => ({ input }),
    done: ({ organizationCreate }) => move(organizationCreate),
  });
  return (
    <Form {...api} label="Create">
      <Text size="sm" c="dimmed">
        You become its owner. Organizations share nothing, and you stay a member of this one.
      </Text>
      <TextInput label="Name of the organization" data-autofocus {...form.getInputProps('name')} />
    </Form>
  );
}

function Leave({ opened, close }: { opened: boolean; close: () => void }) {
  const { organization } = useMe();
  const session = useSession();
  const { run, sending, error, clear } = useAction(LeaveOrganizationDocument);
  const leave = async (): Promise<void> => {
    if (await run({})) session.end();
  };
  return (
    <Confirm
      opened={opened}
      close={() => {
        clear();
        close();
      }}
      title="Leave the organization"
      label="Leave"
      sending={sending}
      error={error}
      confirm={() => void leave()}
    >
      You lose access to {organization.name}, and your logins there end. Your account and your other organizations stay.
      Somebody there can invite you again.
    </Confirm>
  );
}
