// Asks for accounts as a dashboard does: signs up, logs in and joins, for tests of memberships.
import { randomUUID } from 'node:crypto';
import { askAdmin, type AdminResponse } from './adminClient.ts';
import { newPasswordToken } from './mail.ts';
import type { TestService } from './testService.ts';
import { newInvitation } from './testUsers.ts';

export const password = 'a fine phrase of a user';

export interface Account {
  email: string;
  token: string;
  refreshToken: string;
  organization: { id: string };
}

const shown = 'token refreshToken organization { id }';

export async function signUp(service: TestService, email = `${randomUUID()}@example.com`): Promise<Account> {
  const query = `mutation S($input: RegistrationUserInput!) { signup(input: $input) { ${shown} } }`;
  const input = { email, password, organization: 'Own', name: 'Somebody' };
  const { data } = await askAdmin(service.url, { query, variables: { input } });
  return { email, ...(data!['signup'] as Omit<Account, 'email'>) };
}

export function logIn({ url }: TestService, email: string, secret = password): Promise<AdminResponse> {
  const query = `mutation L($input: LoginInput!) { login(input: $input) { ${shown} } }`;
  return askAdmin(url, { query, variables: { input: { email, password: secret } } });
}

/** The challenge of an account without an active membership. */
export async function challengeOf(service: TestService, email: string): Promise<string> {
  const { errors } = await logIn(service, email);
  return errors[0]!.extensions['challenge'] as string;
}

/** Invites the address into the organization, and returns the token of the mail. */
export async function invitationOf(service: TestService, organizationId: string, email: string): Promise<string> {
  await newInvitation(service, organizationId, { email });
  return newPasswordToken(service, email, 'invitation');
}

export const accept = ({ url }: TestService, variables: object, token: string | null = null): Promise<AdminResponse> =>
  askAdmin(url, {
    query: `mutation A($token: String!, $challenge: String) {
      invitationAccept(token: $token, challenge: $challenge) { ${shown} user { email role emailVerified } } }`,
    variables: { ...variables },
    token,
  });

export const leave = ({ url }: TestService, token: string): Promise<AdminResponse> =>
  askAdmin(url, { query: 'mutation { organizationLeave }', token });

/** Makes somebody else an owner too, so that the account may leave. */
export async function addOwner({ database }: TestService, organizationId: string): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const membership = { organizationId, role: 'owner', status: 'active', acceptedAt: new Date() } as const;
  const { id: userId } = await database.prisma.user.create({ data: { email } });
  await database.prisma.membership.create({ data: { userId, ...membership } });
  return email;
}

export async function setPassword({ url }: TestService, token: string, secret = password): Promise<AdminResponse> {
  const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
  return askAdmin(url, { query, variables: { input: { token, newPassword: secret, newPasswordRepeat: secret } } });
}
