// Beside the form: what its author may not mean, how many devices fit now, and the JSON that devices get.
import { Code, List, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Copy } from '../../parts/Copy.tsx';
import { Panel } from '../../parts/Panel.tsx';
import type { SeenApplication } from '../../session/me.ts';
import { Audience } from './Audience.tsx';
import { deliveredOf } from './delivered.ts';
import type { Draft, EditedCampaign } from './draft.ts';
import { inputOf, type Content } from './draftInput.ts';
import { problemsOf } from './draftProblems.ts';
import { warningsOf } from './warnings.ts';

interface AsideProps {
  application: SeenApplication;
  draft: Draft;
  /** Null for a new campaign. */
  campaign: EditedCampaign | null;
  timeZone: string;
}

export function Aside({ application, draft, campaign, timeZone }: AsideProps) {
  const [settled] = useDebouncedValue(draft, 300);
  // Without a name there is all the same something to check and to count.
  const hasProblems = problemsOf(settled).some(({ path }) => path[0] !== 'name');
  if (hasProblems) {
    return (
      <Panel title="Preview">
        <Text size="sm" c="dimmed">
          The warnings, the audience and the preview come back once every value can be used.
        </Text>
      </Panel>
    );
  }
  const content = inputOf(settled, { timeZone, schedule: campaign?.schedule ?? null });
  const now = Date.now();
  const around = { timeZone, platform: application.platform, state: campaign?.state ?? 'DRAFT', now };
  const warnings = warningsOf(settled, content, around);
  return (
    <Stack>
      <Panel title="Check">
        {warnings.length === 0 ? (
          <Text size="sm">Nothing stands out.</Text>
        ) : (
          <List size="sm" spacing={4}>
            {warnings.map(({ at, text }) => (
              <List.Item key={at + text}>
                <strong>{at}:</strong> {text}
              </List.Item>
            ))}
          </List>
        )}
      </Panel>
      <Audience applicationId={application.id} targeting={content.targeting ?? null} />
      <Preview content={content} campaign={campaign} now={now} />
    </Stack>
  );
}

function Preview({ content, campaign, now }: { content: Content; campaign: EditedCampaign | null; now: number }) {
  const saved = { id: campaign?.id ?? null, version: (campaign?.version ?? 0) + 1, state: campaign?.state ?? 'DRAFT' };
  const delivered = deliveredOf(content, saved, now);
  return (
    <Panel title="What devices get">
      {delivered ? (
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            This is the campaign as <Code>GET /api/v1/campaigns</Code> returns it while it is scheduled or active.
          </Text>
          <Copy value={JSON.stringify(delivered, null, 2)} label="the JSON" block />
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          Devices get a campaign once it has a trigger and an action.
        </Text>
      )}
    </Panel>
  );
}
