// The service tokens of the organization: makes, shows once and revokes them.
import { Button, Checkbox, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  CreateServiceTokenDocument,
  RevokeServiceTokenDocument,
  ServiceTokensDocument,
  type ServiceTokensQuery,
} from '../../../../generated/screens/serviceTokens/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Confirm, Dialog } from '../../parts/dialogs.tsx';
import { time } from '../../parts/figures.ts';
import { type ApiForm, Form, useAction, useApiForm } from '../../parts/form.tsx';
import { ownTimeZone, RoleInput, roleLabel, useMay } from '../../parts/roles.tsx';
import { Empty } from '../../parts/states.tsx';
import { applicationsOf, type Me, useMe } from '../../session/me.ts';
import { ListScreen, RowAction } from '../ListScreen.tsx';

export function ServiceTokens() {
  const me = useMe();
  const may = useMay('admin');
  const [result, read] = useQuery({ query: ServiceTokensDocument, pause: !may });
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const [done, setDone] = useState('');
  const reread = (): void => read({ requestPolicy: 'network-only' });
  const close = (): void => setCreating(false);
  const finish = (text: string): void => {
    setDone(text);
    setRevoking(null);
    reread();
  };
  return (
    <ListScreen
      title="Service tokens"
      about={`With a service token a program, such as your own server, calls the admin API. Times in ${ownTimeZone}.`}
      actions={
        may && (
          <Button size="sm" onClick={() => setCreating(true)}>
            Create a token
          </Button>
        )
      }
      allowed={{ least: 'admin', what: 'read, create and revoke service tokens' }}
      {...{ result, lines: 4 }}
      read={reread}
      pick={(data) => data.serviceTokens}
      caption="Service tokens, newest first"
      columns={columnsOf(me, setRevoking)}
      rowKey={({ id }) => id}
      empty={<Empty title="No service tokens yet">Create one for each program that calls the admin API.</Empty>}
      foot={() => (
        <Text size="sm" mt="sm" role="status">
          {done}
        </Text>
      )}
    >
      <Dialog opened={creating} close={close} title="Create a service token">
        <CreateServiceToken created={reread} close={close} />
      </Dialog>
      <Revoke token={revoking} close={() => setRevoking(null)} finish={finish} />
    </ListScreen>
  );
}

interface RevokeProps {
  token: Token | null;
  close: () => void;
  finish: (done: string) => void;
}

function Revoke({ token, close, finish }: RevokeProps) {
  const { run, sending, error, clear } = useAction(RevokeServiceTokenDocument);
  const revoke = async (): Promise<void> => {
    if (token && (await run({ id: token.id }))) finish(`“${token.name}” is revoked.`);
  };
  return (
    <Confirm
      opened={token !== null}
      close={() => {
        clear();
        close();
      }}
      title="Revoke a service token"
      label="Revoke"
      sending={sending}
      error={error}
      confirm={() => void revoke()}
    >
      The next request with “{token?.name}” is refused. Nobody can undo it.
    </Confirm>
  );
}

type Token = ServiceTokensQuery['serviceTokens'][number];

function columnsOf(me: Me, revoke: (token: Token) => void): Column<Token>[] {
  return [
    { key: 'name', head: 'Name', title: ({ name }) => name, cell: ({ name }) => name },
    { key: 'role', head: 'Role', cell: ({ role }) => roleLabel(role) },
    {
      key: 'applications',
      head: 'Applications',
      title: (token) => reachOf(token, me),
      cell: (token) => reachOf(token, me),
    },
    {
      key: 'used',
      head: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt ? time(lastUsedAt, ownTimeZone) : 'Never'),
    },
    { key: 'expires', head: 'Expires', cell: (token) => <Expiry token={token} /> },
    { key: 'created', head: 'Created', cell: ({ createdAt }) => time(createdAt, ownTimeZone) },
    { key: 'by', head: 'By', title: ({ createdBy }) => createdBy, cell: ({ createdBy }) => createdBy },
    {
      key: 'actions',
      head: 'Actions',
      cell: (token) => <RowAction danger label="Revoke" name={`Revoke ${token.name}`} run={() => revoke(token)} />,
    },
  ];
}

function Expiry({ token: { expiresAt } }: { token: Token }) {
  if (!expiresAt) return 'Never';
  const isOver = Date.parse(expiresAt) <= Date.now();
  return (
    <Text size="sm" span c={isOver ? 'var(--bad)' : undefined}>
      {isOver && 'Expired '}
      {time(expiresAt, ownTimeZone)}
    </Text>
  );
}

function reachOf({ applicationIds }: Token, me: Me): string {
  if (!applicationIds) return 'All';
  const applications = applicationsOf(me);
  return applicationIds
    .map((id) => applications.find((application) => application.id === id)?.name ?? `${id} (deleted)`)
    .join(', ');
}

const schema = z
  .object({
    name: z.string().trim().min(1, 'Enter a name.').max(256),
    role: z.string(),
    reach: z.string(),
    applicationIds: z.array(z.string()),
    expiresAt: z.string(),
  })
  .refine(({ reach, applicationIds }) => reach === 'all' || applicationIds.length > 0, {
    path: ['applicationIds'],
    message: 'Choose at least one application.',
  });

type Values = z.infer<typeof schema>;
const initial: Values = { name: '', role: 'viewer', reach: 'all', applicationIds: [], expiresAt: '90' };

/** Creates a service token, and shows it this once. */
function CreateServiceToken({ created, close }: { created: () => void; close: () => void }) {
  const [token, setToken] = useState<string | null>(null);
  const { form, ...api } = useApiForm({
    initial,
    schema,
    document: CreateServiceTokenDocument,
    variables: ({ name, role, reach, applicationIds, expiresAt }) => ({
      input: { name, role, applicationIds: reach === 'all' ? null : applicationIds, expiresAt: expiryOf(expiresAt) },
    }),
    done: ({ serviceTokenCreate }) => {
      setToken(serviceTokenCreate.token);
      created();
    },
  });
  if (token !== null) return <ShownOnce token={token} close={close} />;
  return (
    <Form {...api} label="Create">
      <TextInput label="Name" placeholder="Shop server" data-autofocus {...form.getInputProps('name')} />
      <RoleInput choices={['viewer', 'editor', 'admin']} {...form.getInputProps('role')} value={form.values.role} />
      <Reach form={form} />
      <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expiresAt')} />
    </Form>
  );
}

function Reach({ form }: Pick<ApiForm<Values>, 'form'>) {
  const applications = applicationsOf(useMe());
  return (
    <>
      <Radio.Group label="Applications" {...form.getInputProps('reach')}>
        <Stack gap={6} mt={4}>
          <Radio value="all" label="All applications, later ones too" />
          <Radio value="some" label="These applications only" disabled={applications.length === 0} />
        </Stack>
      </Radio.Group>
      {form.values.reach === 'some' && (
        <Checkbox.Group aria-label="Applications of the token" {...form.getInputProps('applicationIds')}>
          <Stack gap={6} pl="lg">
            {applications.map(({ id, name, platform }) => (
              <Checkbox key={id} value={id} label={`${name} (${platform})`} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}

function ShownOnce({ token, close }: { token: string; close: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        Copy the token now: nobody can read it again. A program sends it as <code>Authorization: Bearer …</code>
      </Text>
      <Copy value={token} label="the token" block />
      <Button variant="default" onClick={close}>
        I have copied it
      </Button>
    </Stack>
  );
}

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never expires' },
];

/** Null: never. */
function expiryOf(days: string, now = Date.now()): string | null {
  return days === '' ? null : new Date(now + Number(days) * 86_400_000).toISOString();
}
