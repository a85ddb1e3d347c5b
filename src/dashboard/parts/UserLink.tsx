// The app's id of a user as a link to all devices that are or were this user's.
import { GivenText } from './GivenText.tsx';
import { cutId, TextLink } from './TextLink.tsx';

interface UserLinkProps {
  applicationId: string;
  user: string;
  /** In several lines, where it is long. */
  whole?: boolean;
}

export function UserLink({ applicationId, user, whole = false }: UserLinkProps) {
  return (
    <TextLink {...(!whole && cutId)} to="/apps/$applicationId/devices" params={{ applicationId }} search={{ user }}>
      <GivenText text={user} cut={!whole} />
    </TextLink>
  );
}
