// Who may change what of a user, and how a user's status moves (contract 2.2): pure.
import { isAtLeast, type Role } from '../workspace/caller.ts';
import type { LockedUser } from './userEditsStore.ts';
import type { UserRecord } from './usersStore.ts';

/** What is absent stays as it is. */
export interface UserChange {
  name?: string | undefined;
  avatar?: string | null | undefined;
  role?: Role | undefined;
  status?: 'active' | 'disabled' | undefined;
}

export interface WantedChange {
  /** Whether the user is the editor. */
  own: boolean;
  /** Whether role or status are touched. */
  rights: boolean;
  /** Whether somebody is to be an owner. */
  grantsOwner: boolean;
  /** The role that the user has; absent while it is not known. */
  of?: Role | undefined;
}

export function mayChange(editor: Role, { own, rights, grantsOwner, of }: WantedChange): boolean {
  if (own && !rights) return true;
  if (editor === 'owner') return true;
  return isAtLeast(editor, 'admin') && !grantsOwner && of !== 'owner';
}

export function changed({ hasPassword: _, ...user }: LockedUser, change: UserChange): UserRecord {
  const { name = user.name, avatar = user.avatar, role = user.role, status = user.status } = change;
  return { ...user, name, avatar, role, status };
}

export function isActiveOwner({ role, status }: UserRecord): boolean {
  return role === 'owner' && status === 'active';
}

/** The moves that an edit can make. An invitation makes somebody `invited`, its acceptance `active`. */
export function statusMayBecome({ status, hasPassword }: LockedUser, next: UserRecord['status']): boolean {
  if (next === status || next === 'disabled') return true;
  return next === 'active' && status === 'disabled' && hasPassword;
}
