// The way to one campaign's screen, with its name as it was given.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useApplication } from '../../shell/chosenApplication.ts';

interface CampaignLinkProps {
  id: string;
  name: string;
  /** Underlined, because other text stands beside it. */
  inText?: boolean;
}

export function CampaignLink({ id, name, inText = false }: CampaignLinkProps) {
  const { applicationId } = useApplication();
  return (
    <Anchor
      component={Link}
      to={`/apps/${applicationId}/campaign`}
      search={{ id } as never}
      size="sm"
      dir="auto"
      underline={inText ? 'always' : 'hover'}
    >
      {name}
    </Anchor>
  );
}
