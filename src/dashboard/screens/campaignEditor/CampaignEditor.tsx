// Writes a new campaign, a copy of one, or edits one.
import { Anchor, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import {
  CampaignToEditDocument,
  type CampaignToEditQuery,
} from '../../../../generated/screens/campaignEditor/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import type { SeenApplication } from '../../session/me.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { copyOf, draftOf, emptyDraft, type EditedCampaign } from './draft.ts';
import { EditorForm } from './EditorForm.tsx';

export function CampaignEditor() {
  const { application } = useApplication();
  const { id, copy } = useSearch({ from: '/inside/apps/$applicationId/campaign-editor' });
  const from = id ?? copy;
  const title = id !== undefined ? 'Edit campaign' : copy !== undefined ? 'Copy of a campaign' : 'New campaign';
  if (!application) return <Empty title="Not found">There is no such application.</Empty>;
  return (
    <>
      <PageHead
        title={title}
        about={`${application.name} (${application.platform}). Times in ${application.timeZone}.`}
      />
      <Allowed least="editor" what="write and edit campaigns">
        {from === undefined ? (
          <EditorForm key={application.id} application={application} campaign={null} start={emptyDraft} />
        ) : (
          <Stored key={`${from} ${id === undefined}`} application={application} id={from} isCopy={id === undefined} />
        )}
      </Allowed>
    </>
  );
}

interface StoredProps {
  application: SeenApplication;
  id: string;
  isCopy: boolean;
}

function Stored({ application, id, isCopy }: StoredProps) {
  const [result, read] = useCampaignOnce(id);
  const { timeZone } = application;
  return (
    <Loaded
      result={result}
      pick={({ campaign }) => (campaign?.application.id === application.id ? campaign : null)}
      retry={read}
      lines={12}
    >
      {(campaign) =>
        isCopy ? (
          <EditorForm application={application} campaign={null} start={copyOf(draftOf(campaign, timeZone))} />
        ) : (
          <Editable application={application} campaign={campaign} />
        )
      }
    </Loaded>
  );
}

/** What is read later must not change the form under somebody's hands: `Conflict` asks first. */
function useCampaignOnce(id: string) {
  const [result, read] = useQuery({
    query: CampaignToEditDocument,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const first = useRef<CampaignToEditQuery>(undefined);
  if (!result.fetching && result.data?.campaign) first.current ??= result.data;
  return [first.current ? { data: first.current, fetching: false } : result, read] as const;
}

function Editable({ application, campaign }: { application: SeenApplication; campaign: EditedCampaign }) {
  const [start] = useState(() => draftOf(campaign, application.timeZone));
  if (campaign.state === 'FINISHED' || campaign.state === 'ARCHIVED') {
    return (
      <Empty title={`This campaign is ${campaign.state.toLowerCase()}`}>
        <Text size="sm">Nobody can edit it any more. </Text>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/apps/$applicationId/campaign-editor"
              params={{ applicationId: application.id }}
              search={{ copy: campaign.id }}
            />
          )}
        >
          Make a copy of it
        </Anchor>
      </Empty>
    );
  }
  return <EditorForm application={application} campaign={campaign} start={start} />;
}
