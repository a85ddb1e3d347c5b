// Shows the secret of one key on demand: nothing is read before the button, because the audit log records it.
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../parts/Copy.tsx';
import { useKeySecret } from '../../parts/keySecret/useKeySecret.ts';
import { ErrorState } from '../../parts/states.tsx';

export function SecretDialog({ publicKey, close }: { publicKey: string | null; close: () => void }) {
  return (
    <Modal opened={publicKey !== null} onClose={close} title="Key pair">
      {publicKey !== null && <Pair publicKey={publicKey} />}
    </Modal>
  );
}

function Pair({ publicKey }: { publicKey: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const { read, reading, error } = useKeySecret();
  return (
    <Stack gap="sm" align="start">
      <Text size="sm">Public key, which the app sends with each request:</Text>
      <Copy value={publicKey} label="the public key" />
      <Text size="sm">Secret key, with which the SDK signs uploads:</Text>
      {secret === null ? (
        <Button
          size="sm"
          variant="default"
          data-autofocus
          loading={reading}
          onClick={() => void read(publicKey).then(setSecret)}
        >
          Show the secret
        </Button>
      ) : (
        <Copy value={secret} label="the secret key" />
      )}
      <Text size="sm" c="dimmed">
        The audit log records each reading of a secret, with who read it.
      </Text>
      {error && <ErrorState error={error} />}
    </Stack>
  );
}
