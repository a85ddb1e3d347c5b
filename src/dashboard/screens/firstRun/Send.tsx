// The key of the application and the command that sends an event with it, signed on demand.
import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { FirstRunKeysDocument, type FirstRunKeysQuery } from '../../../../generated/screens/firstRun/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { time } from '../../parts/figures.ts';
import { useKeySecret } from '../../parts/keySecret/useKeySecret.ts';
import { Empty, ErrorState, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { curlCommand } from './curlCommand.ts';

type Key = NonNullable<FirstRunKeysQuery['applications'][number]['apiKeys']>[number];

const context = { additionalTypenames: ['ApiKey'] };
const dayMillis = 86_400_000;

export function Send() {
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
            <Anchor component={Link} to={`/apps/${applicationId}/keys`} size="sm">
              Create a key
            </Anchor>
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
