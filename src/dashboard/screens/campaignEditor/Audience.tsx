// How many of the devices that have been seen fit the targeting now.
import { Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { AudienceDocument, type CampaignTargetingInput } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { audienceFilters, type Filters } from './audienceFilters.ts';

/** Each group is a question of its own; more of them would keep the reports busy while somebody types. */
const mostGroups = 4;

interface AudienceProps {
  applicationId: string;
  targeting: CampaignTargetingInput | null;
}

export function Audience({ applicationId, targeting }: AudienceProps) {
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
