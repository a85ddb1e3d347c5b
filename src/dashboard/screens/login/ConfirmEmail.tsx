// Confirms an e-mail address with the token of a mail, at a press of a button: programs that check mails open links too.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { ConfirmEmailDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Empty } from '../../parts/states.tsx';
import { Door } from './Door.tsx';
import { useMailedToken } from './mailedToken.ts';

const schema = z.object({});

export function ConfirmEmail() {
  const token = useMailedToken();
  const [confirmed, setConfirmed] = useState(false);
  const { submit, sending, error } = useApiForm({
    initial: {},
    schema,
    document: ConfirmEmailDocument,
    variables: () => ({ token }),
    done: () => setConfirmed(true),
  });
  return (
    <Door title="Confirm your e-mail address">
      {token === '' && <Empty title="The link has no token">Open the link of the mail again.</Empty>}
      {confirmed && (
        <Text size="sm" role="status">
          Your address is confirmed. Log in with it from now on.
        </Text>
      )}
      {token !== '' && !confirmed && (
        <form onSubmit={submit}>
          <Text size="sm" mb="sm">
            Press the button to confirm that this address is yours.
          </Text>
          {error?.code === 'INVALID_TOKEN' && (
            <Text size="sm" mb="sm">
              You can ask for another mail in your profile.
            </Text>
          )}
          <FormFoot error={error} sending={sending} label="Confirm" />
        </form>
      )}
      <Anchor component={Link} to="/" size="sm">
        Go to the dashboard
      </Anchor>
    </Door>
  );
}
