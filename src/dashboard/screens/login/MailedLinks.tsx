// The screens that a mail leads to: a new password, a confirmed address, an invitation.
import { Alert, Anchor, Button, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  AcceptInvitationDocument,
  ConfirmEmailDocument,
  LoginHereDocument,
  UpdatePasswordDocument,
  WhoAmIDocument,
} from '../../../../generated/screens/login/graphql.ts';
import { ApiError } from '../../api/apiError.ts';
import { post } from '../../api/client.ts';
import { FormFoot, newPasswords, passwordsDiffer, useApiForm } from '../../parts/form.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { useSession, useSessionState } from '../../session/SessionProvider.tsx';
import type { Begun } from '../../session/session.ts';
import { Door } from './Door.tsx';

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

const passwordSchema = newPasswords.refine(...passwordsDiffer);

interface NewPasswordFormProps {
  token: string;
  kind: 'invitation' | 'reset';
  about: string;
  done: string;
}

/** Sets a password with a mailed token, and leads to the login. */
function NewPasswordForm({ token, kind, about, done }: NewPasswordFormProps) {
  const [isSet, setIsSet] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { newPassword: '', newPasswordRepeat: '' },
    schema: passwordSchema,
    document: UpdatePasswordDocument,
    variables: (values) => ({ input: { ...values, token } }),
    done: () => setIsSet(true),
  });
  const invitationProblem = kind === 'invitation' && error?.code === 'INVALID_TOKEN';
  if (isSet)
    return (
      <Stack gap="sm" align="start">
        <Text size="sm" role="status">
          {done}
        </Text>
        <Button component={Link} to="/login">
          Log in
        </Button>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <PasswordInput
          label="New password"
          description="8 characters or more, and not a common password"
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <PasswordInput
          label="The same password again"
          autoComplete="new-password"
          {...form.getInputProps('newPasswordRepeat')}
        />
        {invitationProblem && <InvitationProblem error={error} />}
        <FormFoot error={invitationProblem ? null : error} sending={sending} label="Set the password">
          {kind === 'reset' && error?.code === 'INVALID_TOKEN' && (
            <Button component={Link} to="/forgot-password" variant="default">
              Ask for another mail
            </Button>
          )}
        </FormFoot>
      </Stack>
    </form>
  );
}

const confirmSchema = z.object({});

/** Confirms an e-mail address with the token of a mail, at a press of a button: programs that check mails open links too. */
export function ConfirmEmail() {
  const token = useMailedToken();
  const [confirmed, setConfirmed] = useState(false);
  const { submit, sending, error } = useApiForm({
    initial: {},
    schema: confirmSchema,
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

type Way = 'me' | 'login' | 'new';

/** Accepts an invitation: as the user who is logged in, with an account that exists, or with a new password. */
export function AcceptInvitation() {
  const token = useMailedToken();
  const state = useSessionState();
  const [chosen, setChosen] = useState<Way | null>(null);
  // What somebody has begun to fill stays, also when another tab logs in meanwhile.
  const [begun, setBegun] = useState<Way | null>(null);
  const way = chosen ?? begun ?? (state === 'in' ? 'me' : 'new');
  return (
    <Door title="Accept the invitation">
      {token === '' && (
        <>
          <Empty title="The link has no token">Open the link of the mail again.</Empty>
          <Anchor component={Link} to="/login" size="sm">
            Log in
          </Anchor>
        </>
      )}
      {token !== '' && state === 'starting' && <Loading />}
      {token !== '' && state !== 'starting' && (
        <Stack gap="md" onChange={() => setBegun(way)}>
          <SegmentedControl
            size="xs"
            aria-label="How to accept"
            // Three choices do not fit beside each other.
            orientation={state === 'in' ? 'vertical' : 'horizontal'}
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

const joinSchema = z.object({});

/** Accepts an invitation with the account that is logged in on this page. */
function JoinAsMe({ token }: { token: string }) {
  const session = useSession();
  const [who, readWho] = useQuery({ query: WhoAmIDocument });
  const { submit, sending, error } = useApiForm({
    initial: {},
    schema: joinSchema,
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

interface Credentials {
  email: string;
  password: string;
}

/** Throws an `ApiError`. */
async function joinWith(input: Credentials, token: string): Promise<Begun> {
  const accept = async (challenge: string | null, bearer: string | null): Promise<Begun> =>
    (await post(AcceptInvitationDocument, { token, challenge }, bearer)).invitationAccept;
  const login = await post(LoginHereDocument, { input }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NO_ORGANIZATION') return String(error.extensions['challenge']);
    throw error;
  });
  return typeof login === 'string' ? await accept(login, null) : await accept(null, login.login.token);
}

/** Logs in and accepts an invitation in one step, also with an account that belongs to no organization. */
function JoinByLogin({ token }: { token: string }) {
  const session = useSession();
  const [input, setInput] = useState<Credentials>({ email: '', password: '' });
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const join = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    setSending(true);
    try {
      session.begin(await joinWith(input, token));
      // Nothing of somebody who was logged in before stays on the page.
      location.assign('/admin/');
    } catch (problem) {
      setError(problem as ApiError);
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void join(event)} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          For an account at the address of the invitation. Its password and its other organizations stay.
        </Text>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={input.email}
          onChange={({ target }) => setInput({ ...input, email: target.value })}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={input.password}
          onChange={({ target }) => setInput({ ...input, password: target.value })}
        />
        <InvitationProblem error={error} />
        <FormFoot error={error?.code === 'INVALID_TOKEN' ? null : error} sending={sending} label="Log in and join" />
      </Stack>
    </form>
  );
}

/** Says why the token of an invitation does not work, and what to do. */
function InvitationProblem({ error }: { error: ApiError | null }) {
  if (error?.code !== 'INVALID_TOKEN') return null;
  return (
    <Alert color="red" variant="light" role="alert" title="This invitation cannot be accepted here.">
      The link has expired, was used before, or a later invitation has replaced it. Or the invitation is for another
      address than that of the account. Ask for another invitation.
    </Alert>
  );
}

/** The token is read once and taken out of the address bar, so that it is in no history and no report. */
function useMailedToken(): string {
  const { token } = useSearch({ strict: false });
  const [kept] = useState(token ?? '');
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return kept;
}
