// Who may change what of a user (schema.graphql, "Edits of a user"), and which status may follow: pure.
import { isAtLeast, type Role } from '../workspace/caller.ts';
import type { MemberRecord } from './membersStore.ts';

/** An absent field stays as it is. Name and avatar belong to the account, and only its user changes them. */
export interface UserChange {
  name?: string | undefined;
  avatar?: string | null | undefined;
  role?: Role | undefined;
  status?: 'active' | 'disabled' | undefined;
}

export interface WantedChange {
  /** Whether the user is the editor. */
  own: boolean;
  /** Whether the edit sets role or status. */
  rights: boolean;
  /** Whether the edit makes somebody an owner. */
  grantsOwner: boolean;
  /** The user's current role; absent while it is unknown. */
  of?: Role | undefined;
}

export function mayChange(editor: Role, { own, rights, grantsOwner, of }: WantedChange): boolean {
  if (own && !rights) return true;
  if (editor === 'owner') return true;
  return isAtLeast(editor, 'admin') && !grantsOwner && of !== 'owner';
}

export function changed(user: MemberRecord, change: UserChange): MemberRecord {
  const { name = user.name, avatar = user.avatar, role = user.role, status = user.status } = change;
  return { ...user, name, avatar, role, status };
}

export function isActiveOwner({ role, status }: Pick<MemberRecord, 'role' | 'status'>): boolean {
  return role === 'owner' && status === 'active';
}

/** The changes that userEdit can make (schema.graphql, "Status of a user"); only userInvite makes a user `invited`. */
export function statusMayBecome(
  { status, id }: Pick<MemberRecord, 'status' | 'id'>,
  next: MemberRecord['status'],
): boolean {
  if (next === status || next === 'disabled') return true;
  return next === 'active' && status === 'disabled' && id !== null;
}
