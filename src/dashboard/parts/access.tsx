// Access by role: what a role may not do is said in words in the control's place.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMe, type Role } from '../session/me.ts';

const ranks: Role[] = ['viewer', 'editor', 'admin', 'owner'];
const names: Record<Role, string> = {
  viewer: 'Everybody',
  editor: 'Editors, admins and owners',
  admin: 'Admins and owners',
  owner: 'Owners',
};

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
