// Sets a new password with the token of a reset mail.
import { Empty } from '../../parts/states.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { Door } from './Door.tsx';
import { useMailedToken } from './mailedToken.ts';
import { NewPasswordForm } from './NewPasswordForm.tsx';

export function ResetPassword() {
  const token = useMailedToken();
  return (
    <Door title="Set a new password">
      {token === '' ? (
        <Empty title="The link has no token">Open the link of the mail again.</Empty>
      ) : (
        <NewPasswordForm
          token={token}
          kind="reset"
          about="Your logins on all devices end with it."
          done="Your new password holds. Log in with it."
        />
      )}
      <TextLink to="/login">Log in</TextLink>
    </Door>
  );
}
