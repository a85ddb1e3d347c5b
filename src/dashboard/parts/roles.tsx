// Roles: their names, what each may do, and what others read in a control's place.
import { NativeSelect, Text, type NativeSelectProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMe, type Role } from '../session/me.ts';

const ranks: Role[] = ['viewer', 'editor', 'admin', 'owner'];
const names: Record<Role, string> = {
  viewer: 'Everybody',
  editor: 'Editors, admins and owners',
  admin: 'Admins and owners',
  owner: 'Owners',
};

/** Access by role: what a role may not do is said in words in the control's place. */
export function mayAs(role: string | null | undefined, least: Role): boolean {
  return ranks.indexOf(role as Role) >= ranks.indexOf(least);
}

export function useMay(least: Role): boolean {
  return mayAs(useMe().me.role, least);
}

/** Shows `children` to `least` and higher roles. Others read who can do `what`, for example `create campaigns`. */
export function Allowed({ least, what, children }: { least: Role; what: string; children: ReactNode }) {
  if (useMay(least)) return children;
  return (
    <Text size="sm" c="dimmed">
      {names[least]} can {what}.
    </Text>
  );
}

/** What screens about people and programs share: roles in words, and the zone in which they show times. */
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

interface RoleInputProps extends Omit<NativeSelectProps, 'data' | 'value'> {
  value: string;
  choices: readonly Role[];
}

/** Chooses a role, and says what the chosen one may do. */
export function RoleInput({ value, choices, ...rest }: RoleInputProps) {
  const chosen = roles.find((role) => role.value === value);
  return (
    <NativeSelect
      label="Role"
      description={chosen && `${chosen.label}: ${chosen.about}.`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={roles
        .filter((role) => choices.includes(role.value))
        .map(({ value: role, label }) => ({ value: role, label }))}
      value={value}
      {...rest}
    />
  );
}
