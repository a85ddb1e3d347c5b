// Accepts an invitation with the account that is logged in on this page.
import { Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { z } from 'zod';
import { AcceptInvitationDocument, WhoAmIDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Loaded } from '../../parts/states.tsx';
import { useSession } from '../../session/SessionProvider.tsx';
import { InvitationProblem } from './InvitationProblem.tsx';

const schema = z.object({});

export function JoinAsMe({ token }: { token: string }) {
  const session = useSession();
  const [who, readWho] = useQuery({ query: WhoAmIDocument });
  const { submit, sending, error } = useApiForm({
    initial: {},
    schema,
    document: AcceptInvitationDocument,
    variables: () => ({ token }),
    done: ({ invitationAccept }) => {
      session.begin(invitationAccept);
      // Nothing of the organization before stays on the page.
      location.assign('/admin/');
    },
  });
  return (
    <Loaded result={who} pick={(data) => data} retry={readWho}>
      {({ me, organization }) => (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Text size="sm">
              You are logged in as {me.email}. You join with this account, and stay a member of {organization.name}.
            </Text>
            <InvitationProblem error={error} />
            <FormFoot error={error?.code === 'INVALID_TOKEN' ? null : error} sending={sending} label="Join" />
          </Stack>
        </form>
      )}
    </Loaded>
  );
}
