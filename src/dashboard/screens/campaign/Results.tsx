// What devices have reported about the campaign since its creation, with all digits.
import { Text } from '@mantine/core';
import { count, percent } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Tiles, type TileFigure } from '../../parts/tiles/Tiles.tsx';
import type { SeenCampaign } from './words.ts';

export function Results({ campaign: { stats, action } }: { campaign: SeenCampaign }) {
  const { shown, suspect, resolved, unavailableReasons: reasons } = stats;
  const { completed, dismissed, unavailable, skippedNoPresenter, skippedNoContinuation } = resolved;
  const all = completed + dismissed + unavailable + skippedNoPresenter + skippedNoContinuation;
  const outcome = (name: string, part: number, meaning?: string): TileFigure => {
    const share = all > 0 ? `${percent(part / all)} of outcomes` : undefined;
    const note = [share, meaning].filter((text) => text !== undefined).join('; ');
    return { name, value: count(part), ...(note !== '' && { note }) };
  };
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
          ...(suspect > 0
            ? [
                {
                  name: 'Suspect',
                  value: count(suspect),
                  note: 'of the shown, more in a day than the frequency allows',
                },
              ]
            : []),
          outcome('Completed', completed),
          outcome('Dismissed', dismissed),
          outcome('Unavailable', unavailable),
          outcome('No presenter', skippedNoPresenter, 'the app has no code to show it'),
          outcome('Nothing waited', skippedNoContinuation, 'the app did not wait for an outcome'),
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
