// What devices have reported about the campaign since its creation, with all digits.
import { Text } from '@mantine/core';
import { count, percent } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Tiles, type TileFigure } from '../../parts/tiles/Tiles.tsx';
import type { SeenCampaign } from './words.ts';

export function Results({ campaign: { stats, action } }: { campaign: SeenCampaign }) {
  const { shown, resolved, unavailableReasons: reasons } = stats;
  const { completed, dismissed, unavailable, skippedNoPresenter, skippedNoContinuation } = resolved;
  const all = completed + dismissed + unavailable + skippedNoPresenter + skippedNoContinuation;
  const outcome = (name: string, part: number): TileFigure => ({
    name,
    value: count(part),
    ...(all > 0 && { note: `${percent(part / all)} of outcomes` }),
  });
  const known = reasons.timedOut + reasons.presenterFailed + reasons.presenterReported;
  const why = [
    reasons.timedOut > 0 && `${count(reasons.timedOut)} timed out`,
    reasons.presenterFailed > 0 && `${count(reasons.presenterFailed)} failed in the app`,
    reasons.presenterReported > 0 && `${count(reasons.presenterReported)} refused by the app`,
    unavailable > known && known > 0 && `${count(unavailable - known)} without a reason`,
  ].filter((text) => text !== false);
  return (
    <Panel title="Results since its creation">
      <Tiles
        figures={[
          { name: 'Shown', value: count(shown), note: 'events, test devices too' },
          outcome('Completed', completed),
          outcome('Dismissed', dismissed),
          outcome('Unavailable', unavailable),
          outcome('No presenter', skippedNoPresenter),
          outcome('Nothing waited', skippedNoContinuation),
        ]}
      />
      {why.length > 0 && (
        <Text size="sm" mt="sm">
          Unavailable: {why.join(', ')}.
        </Text>
      )}
      {action && !action.blocking && all === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          The action does not block, so devices report shows alone and no outcomes.
        </Text>
      )}
    </Panel>
  );
}
