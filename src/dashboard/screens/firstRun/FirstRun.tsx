// The first minutes of an application: its key, a command that sends an event, and the moment at which it arrives.
import { Alert, Anchor, Button, List, Loader, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useClient, useQuery } from 'urql';
import {
  FirstEventDocument,
  FirstRunKeysDocument,
  FirstRunSecretDocument,
} from '../../../../generated/screens/firstRun/graphql.ts';
import { apiErrorOf, type ApiError } from '../../api/apiError.ts';
import { Allowed } from '../../parts/access.tsx';
import { Copy } from '../../parts/Copy.tsx';
import { time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, ErrorState, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { curlCommand } from './curlCommand.ts';

export function FirstRun() {
  const { applicationId, application, timeZone } = useApplication();
  return (
    <>
      <PageHead
        title="First event"
        about={`From a key to the first event of ${application?.name ?? 'the application'}.`}
      />
      <Stack>
        <Panel title="1. Send an event">
          <Allowed least="admin" what="read the keys of an application">
            <Send applicationId={applicationId} />
          </Allowed>
        </Panel>
        <Panel title="2. See it arrive">
          <Arrival applicationId={applicationId} timeZone={timeZone} />
        </Panel>
        <Panel title="3. Build it into your app">
          <List size="sm">
            <List.Item>
              The contract of the SDK’s API is one file, openapi.yaml: generate your client from it.
            </List.Item>
            <List.Item>
              The public key goes into the app. Uploads are signed with the secret key in production.
            </List.Item>
            <List.Item>The live view shows what arrives, and which uploads are refused and why.</List.Item>
          </List>
        </Panel>
      </Stack>
    </>
  );
}

function Send({ applicationId }: { applicationId: string }) {
  const [keys, readKeys] = useQuery({ query: FirstRunKeysDocument, variables: {} });
  const pick = (data: NonNullable<typeof keys.data>) =>
    data.applications.find(({ id }) => id === applicationId)?.apiKeys;
  return (
    <Loaded result={keys} pick={pick} retry={readKeys}>
      {([key]) =>
        key ? (
          <Command applicationId={applicationId} publicKey={key.public} />
        ) : (
          <Empty title="This application has no key">Create one at “Keys”.</Empty>
        )
      }
    </Loaded>
  );
}

function Command({ applicationId, publicKey }: { applicationId: string; publicKey: string }) {
  const client = useClient();
  const [command, setCommand] = useState('');
  const [error, setError] = useState<ApiError | null>(null);
  const show = async (secret: string | null): Promise<void> =>
    setCommand(await curlCommand({ baseUrl: location.origin, publicKey, secret, now: new Date() }));
  useEffect(() => void show(null), [publicKey]);
  const sign = async (): Promise<void> => {
    const result = await client.query(FirstRunSecretDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    setError(apiErrorOf(result.error));
    const application = result.data?.applications.find(({ id }) => id === applicationId);
    const secret = application?.apiKeys?.find((key) => key.public === publicKey)?.secret;
    if (secret !== undefined) await show(secret);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">Public key of this application:</Text>
      <Copy value={publicKey} label="the public key" />
      <Text size="sm">Run this command. Its response is 200 and {'{}'}.</Text>
      <Copy value={command} label="the command" block />
      <Text size="sm" c="dimmed">
        In production the service takes signed uploads only. A signed command is good for a day; making it reads the
        secret key, which the audit log records.
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => void sign()}>
        Sign the command
      </Button>
      {error && <ErrorState error={error} />}
    </Stack>
  );
}

function Arrival({ applicationId, timeZone }: { applicationId: string; timeZone: string }) {
  const [result, read] = useQuery({ query: FirstEventDocument, variables: { applicationId } });
  const event = result.data?.recentEvents?.nodes[0];
  const error = apiErrorOf(result.error);
  useEffect(() => {
    if (event) return;
    const timer = setInterval(() => read({ requestPolicy: 'network-only' }), 1_000);
    return () => clearInterval(timer);
  }, [event, read]);
  if (event) {
    return (
      <Alert color="green" variant="light" role="status" title={`The event ${event.name} has arrived`}>
        <Text size="sm">
          From the device {event.deviceId}, {time(event.receivedAt, timeZone, 'second')} ({timeZone}).{' '}
          <Anchor component={Link} to={`/apps/${applicationId}/live`} size="sm">
            Watch the live view
          </Anchor>
        </Text>
      </Alert>
    );
  }
  if (error && error.extensions['reason'] !== 'building') return <ErrorState error={error} retry={read} />;
  return (
    <Text size="sm" role="status">
      <Loader size="xs" mr="xs" component="span" /> Waiting for your first event …
    </Text>
  );
}
