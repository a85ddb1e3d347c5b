// What a member of the team may become, in words and by the rules of schema.graphql, "Status of a user".
import type { TeamQuery } from '../../../../generated/screens/team/graphql.ts';
import { time } from '../../parts/figures.ts';
import { ownTimeZone } from '../../parts/people.ts';
import type { TeamSearch } from '../searches.ts';

export type Member = NonNullable<TeamQuery['organization']['users']>[number];

/** A user without an account has not accepted yet. */
export const isInvitation = ({ id }: Member): boolean => id === null || id === undefined;

export const isExpired = ({ invitationExpiresAt }: Member, now = Date.now()): boolean =>
  typeof invitationExpiresAt === 'string' && Date.parse(invitationExpiresAt) <= now;

export function statusText(member: Member): string {
  const { status, invitationExpiresAt } = member;
  if (status === 'disabled') return isInvitation(member) ? 'Disabled invitation' : 'Disabled';
  if (status !== 'invited') return 'Active';
  if (isExpired(member)) return 'Invitation expired';
  return invitationExpiresAt ? `Invited, until ${time(invitationExpiresAt, ownTimeZone)}` : 'Invited';
}

/** A disabled invitation becomes `invited` by a further invitation alone. */
export function nextStatuses(member: Member): { value: string; label: string }[] {
  const now = { value: member.status ?? '', label: statusText(member) };
  if (member.status === 'disabled') return isInvitation(member) ? [now] : [now, { value: 'active', label: 'Active' }];
  return [now, { value: 'disabled', label: 'Disabled' }];
}

export function fits({ email, name, role, status }: Member, search: TeamSearch): boolean {
  const text = `${name ?? ''} ${email ?? ''}`.toLowerCase();
  return (
    (search.q === undefined || text.includes(search.q.toLowerCase())) &&
    (search.role === undefined || role === search.role) &&
    (search.status === undefined || status === search.status)
  );
}
