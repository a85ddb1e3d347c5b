// Ends a membership or withdraws an invitation, after a question.
import { RemoveMemberDocument } from '../../../../generated/screens/team/graphql.ts';
import { Confirm } from '../../parts/Confirm.tsx';
import { useAction } from '../../parts/form/useAction.ts';
import { isInvitation, type Member } from './members.ts';

interface RemoveMemberProps {
  /** Null: nobody is to be removed. */
  member: Member | null;
  close: () => void;
  finish: (done: string) => void;
}

export function RemoveMember({ member, close, finish }: RemoveMemberProps) {
  const { run, sending, error, clear } = useAction(RemoveMemberDocument);
  const email = member?.email ?? '';
  const isInvited = member !== null && isInvitation(member);
  const remove = async (): Promise<void> => {
    if (await run({ email })) finish(isInvited ? `The invitation of ${email} is withdrawn.` : `${email} is removed.`);
  };
  const leave = (): void => {
    clear();
    close();
  };
  return (
    <Confirm
      opened={member !== null}
      close={leave}
      title={isInvited ? 'Withdraw the invitation' : 'Remove a member'}
      label={isInvited ? 'Withdraw' : 'Remove'}
      sending={sending}
      error={error}
      confirm={() => void remove()}
    >
      {isInvited
        ? `The link in the mail to ${email} stops working.`
        : `${email} loses access to this organization at once. The account, its other organizations and everything ` +
          'it made here stay. You can invite the address again.'}
    </Confirm>
  );
}
