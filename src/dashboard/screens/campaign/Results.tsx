// What devices have reported about the campaign since its creation, with all digits.
import { Text } from '@mantine/core';
import { count, percent } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import classes from './Campaign.module.css';
import type { SeenCampaign } from './words.ts';

export function Results({ campaign: { stats, action } }: { campaign: SeenCampaign }) {
  const { shown, resolved, unavailableReasons: reasons } = stats;
  const { completed, dismissed, unavailable, skippedNoPresenter, skippedNoContinuation } = resolved;
  const all = completed + dismissed + unavailable + skippedNoPresenter + skippedNoContinuation;
  const share = (part: number): string => (all === 0 ? '' : `${percent(part / all)} of outcomes`);
  const known = reasons.timedOut + reasons.presenterFailed + reasons.presenterReported;
  const why = [
    reasons.timedOut > 0 && `${count(reasons.timedOut)} timed out`,
    reasons.presenterFailed > 0 && `${count(reasons.presenterFailed)} failed in the app`,
    reasons.presenterReported > 0 && `${count(reasons.presenterReported)} refused by the app`,
    unavailable > known && known > 0 && `${count(unavailable - known)} without a reason`,
  ].filter((text) => text !== false);
  return (
    <Panel title="Results since its creation">
      <dl className={classes.tiles}>
        <Tile label="Shown" value={shown} note="events, test devices too" />
        <Tile label="Completed" value={completed} note={share(completed)} />
        <Tile label="Dismissed" value={dismissed} note={share(dismissed)} />
        <Tile label="Unavailable" value={unavailable} note={share(unavailable)} />
        <Tile label="No presenter" value={skippedNoPresenter} note={share(skippedNoPresenter)} />
        <Tile label="Nothing waited" value={skippedNoContinuation} note={share(skippedNoContinuation)} />
      </dl>
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

function Tile({ label, value, note }: { label: string; value: number; note: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span className={`${classes.big} figure`}>{count(value)}</span>
        <Text size="xs" c="dimmed" span display="block">
          {note}
        </Text>
      </dd>
    </div>
  );
}
