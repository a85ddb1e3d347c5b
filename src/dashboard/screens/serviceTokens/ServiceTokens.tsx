// The service tokens of the organization: makes, shows once and revokes them.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  RevokeServiceTokenDocument,
  ServiceTokensDocument,
} from '../../../../generated/screens/serviceTokens/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { Confirm } from '../../parts/Confirm.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { useAction } from '../../parts/form/useAction.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { ownTimeZone } from '../../parts/people.ts';
import { Loaded } from '../../parts/states.tsx';
import { CreateServiceToken } from './CreateServiceToken.tsx';
import { ServiceTokensTable, type Token } from './ServiceTokensTable.tsx';

export function ServiceTokens() {
  return (
    <>
      <PageHead
        title="Service tokens"
        about={`With a service token a program, such as your own server, calls the admin API. Times in ${ownTimeZone}.`}
      />
      <Allowed least="admin" what="read, create and revoke service tokens">
        <List />
      </Allowed>
    </>
  );
}

function List() {
  const [tokens, readTokens] = useQuery({ query: ServiceTokensDocument });
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const [done, setDone] = useState('');
  const reread = (): void => readTokens({ requestPolicy: 'network-only' });
  return (
    <Stack gap="sm">
      <Group>
        <Button size="sm" onClick={() => setCreating(true)}>
          Create a token
        </Button>
        <Text size="sm" role="status">
          {done}
        </Text>
      </Group>
      <Loaded result={tokens} pick={(data) => data.serviceTokens} retry={reread}>
        {(list) => <ServiceTokensTable tokens={list} revoke={setRevoking} />}
      </Loaded>
      <Dialog opened={creating} close={() => setCreating(false)} title="Create a service token">
        <CreateServiceToken created={reread} close={() => setCreating(false)} />
      </Dialog>
      <Revoke
        token={revoking}
        close={() => setRevoking(null)}
        finish={(text) => {
          setDone(text);
          setRevoking(null);
          reread();
        }}
      />
    </Stack>
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
