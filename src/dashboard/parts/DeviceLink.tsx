// The id of a device as a link to its screen, for every list that names devices.
import { GivenText } from './GivenText.tsx';
import { cutId, TextLink } from './TextLink.tsx';

export function DeviceLink({ applicationId, id }: { applicationId: string; id: string }) {
  return (
    <TextLink {...cutId} to="/apps/$applicationId/device" params={{ applicationId }} search={{ id }}>
      <GivenText text={id} cut />
    </TextLink>
  );
}
