// What screens about people and programs share: roles in words, and the zone in which they show times.
import type { Role } from '../session/me.ts';

export const roles: readonly { value: Role; label: string; about: string }[] = [
  { value: 'viewer', label: 'Viewer', about: 'reads everything except keys and the audit log' },
  { value: 'editor', label: 'Editor', about: 'also edits campaigns and changes their state' },
  { value: 'admin', label: 'Admin', about: 'also edits applications, keys and members' },
  { value: 'owner', label: 'Owner', about: 'also edits the organization and other owners' },
];

export const roleLabel = (role: string | null | undefined): string =>
  roles.find(({ value }) => value === role)?.label ?? role ?? '—';

/** An organization has no time zone: its screens show times in that of the browser. */
export const ownTimeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
