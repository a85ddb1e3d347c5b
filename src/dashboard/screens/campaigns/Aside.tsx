// Beside the form: what its author may not mean, how many devices fit now, and the JSON that devices get.
import { Code, List, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import {
  AudienceDocument,
  type AudienceQueryVariables,
  type CampaignTargetingInput,
} from '../../../../generated/screens/campaigns/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { Loaded } from '../../parts/states.tsx';
import type { SeenApplication } from '../../session/me.ts';
import { deliveredCampaign } from './delivered.ts';
import { type Content, type Draft, type EditedCampaign, inputOf } from './draft.ts';
import { problemsOf, versions } from './draftProblems.ts';
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
  const startAt = content.schedule?.startAt;
  const delivered = deliveredCampaign({
    ...content,
    id: campaign?.id ?? 'given when it is saved',
    name: content.name?.trim() ?? '',
    // The version that saving makes.
    version: (campaign?.version ?? 0) + 1,
    startedEarly: campaign?.state === 'ACTIVE' && typeof startAt === 'string' && Date.parse(startAt) > now,
  });
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

/** Each group is a question of its own; more of them would keep the reports busy while somebody types. */
const mostGroups = 4;

interface AudienceProps {
  applicationId: string;
  targeting: CampaignTargetingInput | null;
}

/** How many of the devices that have been seen fit the targeting now. */
function Audience({ applicationId, targeting }: AudienceProps) {
  const lists = audienceFilters(targeting);
  return (
    <Panel title="Audience">
      {lists === null || lists.length > mostGroups ? (
        <Text size="sm" c="dimmed">
          This targeting has more conditions than devices can be counted by.
        </Text>
      ) : (
        <Stack gap={4}>
          {lists.map((filters, index) => (
            <Group
              key={JSON.stringify([index, filters])}
              applicationId={applicationId}
              filters={filters}
              label={lists.length > 1 ? `Group ${index + 1}: ` : ''}
            />
          ))}
          <Text size="xs" c="dimmed">
            Devices that have been seen, without test devices, by the properties that they have now.
            {lists.length > 1 && ' A device can be in several groups.'}
          </Text>
        </Stack>
      )}
    </Panel>
  );
}

function Group({ applicationId, filters, label }: { applicationId: string; filters: Filters; label: string }) {
  const [fitting, read] = useQuery({ query: AudienceDocument, variables: { applicationId, filters } });
  const [all] = useQuery({ query: AudienceDocument, variables: { applicationId, filters: [] } });
  const total = all.data?.devices?.total;
  return (
    <Loaded result={fitting} pick={({ devices }) => devices} retry={read} lines={1}>
      {(devices) => (
        <Text size="sm" className="figure">
          {label}
          <strong>{count(devices.total)}</strong>
          {total !== undefined && ` of ${count(total)}`} {total === 1 ? 'device' : 'devices'}
        </Text>
      )}
    </Loaded>
  );
}

type Filters = NonNullable<Exclude<AudienceQueryVariables['filters'], undefined>>;

/** schema.graphql, "Limits of analytics" and "Conditions". */
const [mostFilters, longestList] = [20, 100];

/** One list of conditions for each group of user properties. Null where the API cannot count so many conditions. */
function audienceFilters(targeting: CampaignTargetingInput | null): Filters[] | null {
  const groups = targeting?.userProperties?.length ? targeting.userProperties : [[]];
  const ofDevice = deviceFilters(targeting ?? {});
  const lists = groups.map((group) => [
    ...ofDevice,
    ...group.map(({ name, op, value }) => ({ scope: 'USER' as const, property: name, op, value })),
  ]);
  const isLarge = (targeting?.countries?.length ?? 0) > longestList || lists.some((list) => list.length > mostFilters);
  return isLarge ? null : lists;
}

function deviceFilters(targeting: CampaignTargetingInput): Filters {
  const oneOf = (property: string, value: string[] | null | undefined): Filters =>
    value && value.length > 0 ? [{ scope: 'DEVICE', property, op: 'IN', value }] : [];
  return [
    ...oneOf('platform', targeting.platforms),
    ...oneOf('country', targeting.countries),
    ...versions.flatMap((property): Filters => {
      const { min, max } = targeting[property] ?? {};
      return [
        ...(typeof min === 'number' ? [{ scope: 'DEVICE' as const, property, op: 'GTE' as const, value: min }] : []),
        ...(typeof max === 'number' ? [{ scope: 'DEVICE' as const, property, op: 'LTE' as const, value: max }] : []),
      ];
    }),
  ];
}
