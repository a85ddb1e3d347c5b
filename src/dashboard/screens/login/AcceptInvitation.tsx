// Accepts an invitation: as the user who is logged in, with an account that exists, or with a new password.
import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { Empty, Loading } from '../../parts/states.tsx';
import { useSessionState } from '../../session/SessionProvider.tsx';
import { Door } from './Door.tsx';
import { JoinAsMe } from './JoinAsMe.tsx';
import { JoinByLogin } from './JoinByLogin.tsx';
import { useMailedToken } from './mailedToken.ts';
import { NewPasswordForm } from './NewPasswordForm.tsx';

type Way = 'me' | 'login' | 'new';

export function AcceptInvitation() {
  const token = useMailedToken();
  const state = useSessionState();
  const [chosen, setChosen] = useState<Way | null>(null);
  // What somebody has begun to fill stays, also when another tab logs in meanwhile.
  const [begun, setBegun] = useState<Way | null>(null);
  const way = chosen ?? begun ?? (state === 'in' ? 'me' : 'new');
  return (
    <Door title="Accept the invitation">
      {token === '' && <Empty title="The link has no token">Open the link of the mail again.</Empty>}
      {token !== '' && state === 'starting' && <Loading />}
      {token !== '' && state !== 'starting' && (
        <Stack gap="md" onChange={() => setBegun(way)}>
          <SegmentedControl
            size="xs"
            aria-label="How to accept"
            value={way}
            onChange={(value) => setChosen(value as Way)}
            data={[
              ...(state === 'in' ? [{ value: 'me', label: 'As I am logged in' }] : []),
              { value: 'new', label: 'With a new password' },
              { value: 'login', label: 'With my account' },
            ]}
          />
          {way === 'me' && <JoinAsMe token={token} />}
          {way === 'login' && <JoinByLogin token={token} />}
          {way === 'new' && (
            <NewPasswordForm
              token={token}
              kind="invitation"
              about={
                'For everybody who has no account at the address of the invitation yet. ' +
                'If there is one, it gets this password, and its logins end.'
              }
              done="You have joined. Log in with the address of the invitation and your password."
            />
          )}
        </Stack>
      )}
    </Door>
  );
}
