// The cases of the audit log's coverage for memberships and accounts, and what all of its cases share.
import { randomUUID } from 'node:crypto';
import { newPasswordToken } from './mail.ts';
import type { TestService } from './testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from './testUsers.ts';
import type { TestApplication } from './testWorkspace.ts';

export interface Stage {
  owner: TestUser;
  application: TestApplication;
  project: string;
}

export interface Case {
  /** Changes something, unless the mutation is one of `unrecorded`. */
  field: string;
  variables?: Record<string, unknown>;
  token?: null;
  /** The same mutation without effect, successful or refused, after the first one. */
  idle: string;
}

export async function withPassword(service: TestService, { owner }: Stage): Promise<string> {
  const password = `a fine phrase ${randomUUID()}`;
  const passwordHash = await service.deps.passwords.hash(password, 'known');
  await service.database.prisma.user.update({ where: { id: owner.id }, data: { passwordHash } });
  return password;
}

/** `service` starts after the cases are listed. */
export const membershipCases = (service: () => TestService) => ({
  async accountDelete(stage: Stage): Promise<Case> {
    const password = await withPassword(service(), stage);
    await newUser(service(), stage.owner.organizationId, 'owner');
    const field = `accountDelete(password: "${password}")`;
    return { field, idle: field };
  },
  async invitationAccept({ owner: { email } }: Stage): Promise<Case> {
    await newInvitation(service(), await newOrganization(service()), { email });
    const field = `invitationAccept(token: "${await newPasswordToken(service(), email, 'invitation')}") { user { email } }`;
    return { field, idle: field };
  },
  organizationCreate: (): Case => ({
    field: 'organizationCreate(input: { name: "Another" }) { user { email } }',
    idle: 'organizationCreate(input: { name: "" }) { user { email } }',
  }),
  async organizationLeave({ owner }: Stage): Promise<Case> {
    await newUser(service(), owner.organizationId, 'owner');
    return { field: 'organizationLeave', idle: 'organizationLeave' };
  },
  organizationSwitch: ({ owner: { organizationId } }: Stage): Case => {
    const field = `organizationSwitch(id: "${organizationId}") { user { email } }`;
    return { field, idle: field };
  },
  async userRemove({ owner }: Stage): Promise<Case> {
    const { email } = await newUser(service(), owner.organizationId, 'viewer');
    return { field: `userRemove(email: "${email}")`, idle: `userRemove(email: "${email}")` };
  },
});
