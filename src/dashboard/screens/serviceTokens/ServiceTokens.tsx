// The service tokens of the organization: makes, shows once and revokes them.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  RevokeServiceTokenDocument,
  ServiceTokensDocument,
} from '../../../../generated/screens/serviceTokens/graphql.ts';
import { Allowed, useMay } from '../../parts/access.tsx';
import { Confirm } from '../../parts/Confirm.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { useAction } from '../../parts/form/useAction.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { ownTimeZone } from '../../parts/people.ts';
import { Loaded } from '../../parts/states.tsx';
import { CreateServiceToken } from './CreateServiceToken.tsx';
import { ServiceTokensTable, type Token } from './ServiceTokensTable.tsx';

export function ServiceTokens() {
  const may = useMay('admin');
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHead
        title="Service tokens"
        about={`With a service token a program, such as your own server, calls the admin API. Times in ${ownTimeZone}.`}
      >
        {may && (
          <Button size="sm" onClick={() => setCreating(true)}>
            Create a token
          </Button>
        )}
      </PageHead>
      <Allowed least="admin" what="read, create and revoke service tokens">
        <List creating={creating} close={() => setCreating(false)} />
      </Allowed>
    </>
  );
}

function List({ creating, close }: { creating: boolean; close: () => void }) {
  const [tokens, readTokens] = useQuery({ query: ServiceTokensDocument });
  const [revoking, setRevoking] = useState<Token | null>(null);
  const [done, setDone] = useState('');
  const reread = (): void => readTokens({ requestPolicy: 'network-only' });
  const finish = (text: string): void => {
    setDone(text);
    setRevoking(null);
    reread();
  };
  return (
    <>
      <Loaded result={tokens} pick={(data) => data.serviceTokens} retry={reread}>
        {(list) => <ServiceTokensTable tokens={list} revoke={setRevoking} />}
      </Loaded>
      <Text size="sm" mt="sm" role="status">
        {done}
      </Text>
      <Dialog opened={creating} close={close} title="Create a service token">
        <CreateServiceToken created={reread} close={close} />
      </Dialog>
      <Revoke token={revoking} close={() => setRevoking(null)} finish={finish} />
    </>
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
