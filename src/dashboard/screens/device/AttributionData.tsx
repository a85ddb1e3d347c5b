// What the attribution providers said of the install, the latest of each.
import { Stack, Text } from '@mantine/core';
import { time } from '../../parts/figures.ts';
import { JsonText } from '../../parts/JsonText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import type { DevicePart, SeenDevice } from './Device.tsx';
import { None } from './None.tsx';

const providers: Record<string, string> = {
  provider_a: 'Provider A',
  store_search_ads: 'Store search ads',
  provider_b: 'Provider B',
  custom: 'Custom',
};

export function AttributionData({ timeZone, attribution }: DevicePart & { attribution: SeenDevice['attribution'] }) {
  return (
    <Panel title="Attribution">
      {attribution.length === 0 && <None>No provider’s data has arrived.</None>}
      <Stack gap="sm">
        {attribution.map(({ provider, payload, receivedAt }) => (
          <div key={provider}>
            <Text size="sm" fw={600}>
              {providers[provider] ?? provider}
            </Text>
            <Text size="xs" c="dimmed" className="figure">
              Arrived {time(receivedAt, timeZone, 'full')}
            </Text>
            <JsonText value={payload} />
          </div>
        ))}
      </Stack>
    </Panel>
  );
}
