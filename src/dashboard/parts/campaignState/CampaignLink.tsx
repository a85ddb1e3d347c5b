// The way to one campaign's screen, with its name as it was given.
import { useApplication } from '../../shell/chosenApplication.ts';
import { GivenText } from '../GivenText.tsx';
import { TextLink } from '../TextLink.tsx';

interface CampaignLinkProps {
  id: string;
  name: string;
  /** Underlined, because other text stands beside it. */
  inText?: boolean;
}

export function CampaignLink({ id, name, inText = false }: CampaignLinkProps) {
  const { applicationId } = useApplication();
  return (
    <TextLink
      to="/apps/$applicationId/campaigns/$id"
      params={{ applicationId, id }}
      underline={inText ? 'always' : 'hover'}
    >
      <GivenText text={name} cut={!inText} />
    </TextLink>
  );
}
