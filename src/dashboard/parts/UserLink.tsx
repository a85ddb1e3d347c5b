// The app's id of a user as a link to all devices that are or were this user's.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { GivenText } from './GivenText.tsx';

interface UserLinkProps {
  applicationId: string;
  user: string;
  /** In several lines, where it is long. */
  whole?: boolean;
}

export function UserLink({ applicationId, user, whole = false }: UserLinkProps) {
  return (
    <Anchor component={Link} to={`/apps/${applicationId}/devices`} search={{ user } as never} size="sm">
      <GivenText text={user} cut={!whole} />
    </Anchor>
  );
}
