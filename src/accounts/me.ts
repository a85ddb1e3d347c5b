// query me: the caller, as a member of the bearer's organization.
import type { Pool } from 'pg';
import type { Caller } from '../workspace/workspace.ts';
import { findMember, type MemberRecord } from './members.ts';

export async function me(
  _args: unknown,
  { caller, adminPool }: { caller: Caller; adminPool: Pool },
): Promise<MemberRecord> {
  const member = await findMember(adminPool, caller);
  if (!member) throw new Error('the membership of a live login is gone');
  return member;
}
