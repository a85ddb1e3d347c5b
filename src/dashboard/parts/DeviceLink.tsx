// The id of a device as a link to its screen, for every list that names devices.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { GivenText } from './GivenText.tsx';

export function DeviceLink({ applicationId, id }: { applicationId: string; id: string }) {
  return (
    <Anchor
      component={Link}
      to={`/apps/${applicationId}/device`}
      // An object and no text: the router quotes an id that looks like a number.
      search={{ id } as never}
      size="sm"
    >
      <GivenText text={id} cut />
    </Anchor>
  );
}
