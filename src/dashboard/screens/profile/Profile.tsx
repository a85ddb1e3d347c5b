// The user's own account: name, address, password, logins, organizations, and its end.
import { Stack } from '@mantine/core';
import { PageHead } from '../../parts/PageHead.tsx';
import { ownTimeZone, roleLabel } from '../../parts/people.ts';
import { useMe } from '../../session/me.ts';
import { DeleteAccount } from './DeleteAccount.tsx';
import { EmailForm } from './EmailForm.tsx';
import { NameForm } from './NameForm.tsx';
import { Organizations } from './Organizations.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import classes from './Profile.module.css';
import { Sessions } from './Sessions.tsx';

export function Profile() {
  const { me, organization } = useMe();
  return (
    <>
      <PageHead
        title="Profile"
        about={`${me.email}, ${roleLabel(me.role).toLowerCase()} of ${organization.name}. Times in ${ownTimeZone}.`}
      />
      <div className={classes.columns}>
        <Stack>
          <NameForm />
          <PasswordForm />
        </Stack>
        <Stack>
          <EmailForm />
          <Organizations />
          <DeleteAccount />
        </Stack>
      </div>
      <Sessions />
    </>
  );
}
