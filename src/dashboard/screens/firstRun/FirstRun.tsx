// The first minutes of an application: its key, a command that sends an event, and the moment at which it arrives.
import { Alert, Button, Group, List, Loader, NativeSelect, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import {
  FirstEventDocument,
  FirstRefusalsDocument,
  FirstRunKeysDocument,
  type FirstEventQuery,
  type FirstRefusalsQuery,
  type FirstRunKeysQuery,
} from '../../../../generated/screens/firstRun/graphql.ts';
import { apiErrorOf, messageOf } from '../../api/apiError.ts';
import { Copy } from '../../parts/Copy.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { time, today } from '../../parts/figures.ts';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import { useReread } from '../../parts/queries.ts';
import { Allowed } from '../../parts/roles.tsx';
import { Empty, ErrorState, Loaded } from '../../parts/states.tsx';
import { useKeySecret } from '../../parts/useKeySecret.ts';
import { useApplication } from '../../session/me.ts';
import { newId } from '../../session/session.ts';

export function FirstRun() {
  const { applicationId, application } = useApplication();
  if (!application) return <Empty title="Not found">The application may have been deleted.</Empty>;
  return (
    <>
      <PageHead title="First event" about={`From a key to the first event of ${application.name}.`} />
      {/* Another application begins anew: nothing of the one before stays on the page. */}
      <Stack key={applicationId}>
        <Panel title="1. Send an event">
          <Allowed least="admin" what="read the keys of an application">
            <Send />
          </Allowed>
        </Panel>
        <Panel title="2. See it arrive">
          <Arrival />
        </Panel>
        <Panel title="3. Build it into your app">
          <List size="sm" spacing={4}>
            <List.Item>
              The API of the SDKs is one file, openapi.yaml of the service: generate your client from it. Your
              operator’s documentation page shows it with samples.
            </List.Item>
            <List.Item>
              The SDK carries a pair of keys: <To screen="keys" label="Keys" /> has them, and says how to replace them.
            </List.Item>
            <List.Item>
              <To screen="live" label="Live" /> shows what arrives, and which uploads are refused and why.
            </List.Item>
            <List.Item>
              Devices of testers belong into the <To screen="settings" label="Settings" />: reports leave them out.
            </List.Item>
          </List>
        </Panel>
      </Stack>
    </>
  );
}

function To({ screen, label }: { screen: 'keys' | 'live' | 'settings'; label: string }) {
  const { applicationId } = useApplication();
  return (
    <TextLink to={`/apps/$applicationId/${screen}`} params={{ applicationId }} underline="always">
      {label}
    </TextLink>
  );
}

type Key = NonNullable<FirstRunKeysQuery['applications'][number]['apiKeys']>[number];

const context = { additionalTypenames: ['ApiKey'] };
const dayMillis = 86_400_000;

/** The key of the application and the command that sends an event with it, signed on demand. */
function Send() {
  const { applicationId } = useApplication();
  const [result, read] = useQuery({ query: FirstRunKeysDocument, context });
  const pick = ({ applications }: FirstRunKeysQuery) => applications.find(({ id }) => id === applicationId)?.apiKeys;
  return (
    <Loaded result={result} pick={pick} retry={read} lines={6}>
      {(keys) =>
        keys.length > 0 ? (
          <WithKey keys={keys} />
        ) : (
          <Empty title="This application has no live key">
            <TextLink to="/apps/$applicationId/keys" params={{ applicationId }}>
              Create a key
            </TextLink>
          </Empty>
        )
      }
    </Loaded>
  );
}

function WithKey({ keys }: { keys: Key[] }) {
  const [chosen, setChosen] = useState(keys[0]!.public);
  const publicKey = keys.some((key) => key.public === chosen) ? chosen : keys[0]!.public;
  return (
    <Stack gap="sm" align="stretch">
      {keys.length > 1 && (
        <NativeSelect
          size="sm"
          label="Key"
          maw={420}
          value={publicKey}
          onChange={({ target }) => setChosen(target.value)}
          data={keys.map((key) => ({ value: key.public, label: key.label ?? key.public }))}
        />
      )}
      <Group gap="xs">
        <Text size="sm">Public key:</Text>
        <Copy value={publicKey} label="the public key" />
      </Group>
      <Command key={publicKey} publicKey={publicKey} />
    </Stack>
  );
}

interface Shown {
  text: string;
  /** When a signed command stops working; null without a signature. */
  until: number | null;
}

function Command({ publicKey }: { publicKey: string }) {
  const { timeZone } = useApplication();
  const [shown, setShown] = useState<Shown | null>(null);
  const { read, reading, error } = useKeySecret();
  const show = async (secret: string | null): Promise<void> => {
    const now = new Date();
    const text = await curlCommand({ baseUrl: location.origin, publicKey, secret, now });
    setShown({ text, until: secret === null ? null : now.getTime() + dayMillis });
  };
  useEffect(() => void show(null), []);
  const sign = async (): Promise<void> => {
    const secret = await read(publicKey);
    if (secret !== null) await show(secret);
  };
  return (
    <Stack gap="sm" align="stretch">
      <Text size="sm">Run this in a shell (macOS, Linux, Git Bash). The response is 200 and {'{}'}.</Text>
      <Copy value={shown?.text ?? ''} label="the command" block />
      {shown?.until ? (
        <Text size="sm" role="status">
          The command is signed. It works until {time(shown.until, timeZone)} ({timeZone}).
        </Text>
      ) : (
        <Signing sign={() => void sign()} reading={reading} />
      )}
      {error && <ErrorState error={error} />}
    </Stack>
  );
}

function Signing({ sign, reading }: { sign: () => void; reading: boolean }) {
  return (
    <Stack gap="xs" align="start">
      <Text size="sm" c="dimmed">
        A service in production takes signed uploads alone. Signing reads the secret key, which the audit log records.
      </Text>
      {/* Browsers sign in secure contexts alone. */}
      {window.isSecureContext ? (
        <Button size="compact-sm" variant="default" loading={reading} onClick={sign}>
          Sign the command
        </Button>
      ) : (
        <Text size="sm">Open this page by https to sign the command here.</Text>
      )}
    </Stack>
  );
}

const body = (now: Date) => ({
  user: { id: 'user-1', properties: [{ name: 'plan', value: 'free' }] },
  device: {
    id: 'device-1',
    properties: {
      sdkVersionNormalized: 5_002,
      osVersionNormalized: 18_001_000,
      appVersionNormalized: 2_014_003,
      appInstallVersionNormalized: 2_000_000,
      platform: 'iOS',
      deviceModel: 'Phone 15',
      vendorIdentifier: 'vendor-1',
      installDatetime: Math.floor(now.getTime() / 1_000),
    },
  },
  sessions: [
    {
      id: newId(),
      number: { global: 1, version: 1 },
      startDate: now.toISOString(),
      finishDate: null,
      events: [
        {
          id: newId(),
          name: 'LevelCompleted',
          type: 'custom',
          timestamp: now.getTime() / 1_000,
          date: now.toISOString(),
          params: [{ name: 'level', value: 7 }],
        },
      ],
    },
  ],
});

interface Asked {
  baseUrl: string;
  publicKey: string;
  /** Null: without a signature. */
  secret: string | null;
  now: Date;
}

/** The command that sends the first event, signed where a secret is given (openapi.yaml, "Signature of a session request"). */
async function curlCommand(asked: Asked): Promise<string> {
  const { baseUrl, publicKey, now } = asked;
  const text = JSON.stringify(body(now));
  const headers = ['Content-Type: application/json', `X-Api-Key: ${publicKey}`];
  if (asked.secret !== null) headers.push(...(await signature({ ...asked, secret: asked.secret, text })));
  const lines = headers.map((header) => `  -H '${header}' \\`);
  return [`curl -i ${baseUrl}/api/v1/session \\`, ...lines, `  -d '${text}'`].join('\n');
}

type Signed = Omit<Asked, 'secret'> & { secret: string; text: string };

async function signature({ publicKey, secret, text, now }: Signed): Promise<string[]> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const nonce = newId();
  const hash = hex(await crypto.subtle.digest('SHA-256', bytes(text)));
  const signed = ['v1', 'POST', '/api/v1/session', publicKey, timestamp, nonce, hash].join('\n');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign']);
  const value = hex(await crypto.subtle.sign('HMAC', key, bytes(signed)));
  return [`X-Timestamp: ${timestamp}`, `X-Nonce: ${nonce}`, `X-Signature: v1=${value}`];
}

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer): string =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const waiting = 'Waiting for your first event …';
const everyMillis = 1_000;
/** Once an event is there, later ones show that the next command has arrived too. */
const thenMillis = 5_000;

/** Waits for the first event and says when it is there; meanwhile it says why an upload was refused. */
function Arrival() {
  const { applicationId, timeZone } = useApplication();
  const day = { from: today(timeZone, -1), to: today(timeZone) };
  const [events, readEvents] = useQuery({ query: FirstEventDocument, variables: { applicationId } });
  const [refusals, readRefusals] = useQuery({ query: FirstRefusalsDocument, variables: { applicationId, ...day } });
  const event = events.data?.recentEvents?.nodes[0];
  const refusal = newestAfter(event, refusals.data);
  const error = apiErrorOf(events.error);
  const turnMillis = event ? thenMillis : everyMillis;
  useReread(events, readEvents, turnMillis);
  useReread(refusals, readRefusals, turnMillis);
  // The copy of the events for reports is ready soon after the service's start: the page goes on waiting.
  const isAnswered = events.data !== undefined || error !== null;
  const building = error?.extensions['reason'] === 'building';
  return (
    <Stack gap="sm">
      <div role="status">
        {event ? (
          <Arrived event={event} />
        ) : (
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">
              {building && error ? messageOf(error) : isAnswered ? waiting : 'Looking for events …'}
            </Text>
          </Group>
        )}
      </div>
      {!event && error && !building && (
        <ErrorState error={error} retry={() => readEvents({ requestPolicy: 'network-only' })} />
      )}
      {refusal && <Refused refusal={refusal} />}
    </Stack>
  );
}

type Event = NonNullable<FirstEventQuery['recentEvents']>['nodes'][number];

/** Older than the event: what was wrong has been put right. */
function newestAfter(event: Event | undefined, data: FirstRefusalsQuery | undefined): Refusal | undefined {
  const refusal = data?.ingestIssues?.nodes[0];
  const isLater = !event || !refusal || Date.parse(refusal.lastAt) > Date.parse(event.receivedAt);
  return isLater ? refusal : undefined;
}

const underlined = { underline: 'always' } as const;

function Arrived({ event: { name, deviceId, receivedAt } }: { event: Event }) {
  const { applicationId, timeZone } = useApplication();
  const title = (
    <Text inherit lineClamp={2}>
      The event <GivenText text={name} /> has arrived
    </Text>
  );
  return (
    <Alert color="green" variant="light" title={title}>
      <Text size="sm">
        From the device{' '}
        <TextLink to="/apps/$applicationId/device" params={{ applicationId }} search={{ id: deviceId }} {...underlined}>
          <GivenText text={deviceId} />
        </TextLink>
        , {time(receivedAt, timeZone, 'full')} ({timeZone}).{' '}
        <TextLink to="/apps/$applicationId/live" params={{ applicationId }} {...underlined}>
          Watch the live view
        </TextLink>
      </Text>
    </Alert>
  );
}

type Refusal = NonNullable<FirstRefusalsQuery['ingestIssues']>['nodes'][number];

function Refused({ refusal: { status, reason, path, sampleMessage, lastAt } }: { refusal: Refusal }) {
  const { timeZone } = useApplication();
  return (
    <Alert color="red" variant="light" role="alert" title="An upload was refused">
      <Text size="sm">
        {time(lastAt, timeZone, 'second')} ({timeZone}): {status} {reason}
        {path === '' ? '' : `, at ${path}`}. {sampleMessage}
      </Text>
      {reason === 'signature_missing' && (
        <Text size="sm">This service takes signed uploads alone: sign the command above, and run it again.</Text>
      )}
    </Alert>
  );
}
