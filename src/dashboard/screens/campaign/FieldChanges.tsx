// The fields of one change of a campaign, each with its value before and after.
import { Text } from '@mantine/core';
import type { CampaignHistoryQuery } from '../../../../generated/screens/campaign/graphql.ts';
import { time } from '../../parts/figures.ts';
import classes from './Campaign.module.css';

export type Field = NonNullable<CampaignHistoryQuery['campaign']>['history'][number]['changes'][number];

/** So many are shown at once; more are folded. */
const few = 4;

export function FieldChanges({ changes, timeZone }: { changes: readonly Field[]; timeZone: string }) {
  if (changes.length === 0)
    return (
      <Text size="xs" c="dimmed">
        Saved with the same values.
      </Text>
    );
  const list = changes.map((field) => <FieldChange key={field.field} change={field} timeZone={timeZone} />);
  if (changes.length <= few) return list;
  return (
    <details>
      <summary className={classes.summary}>
        {changes.length} fields: {changes.map(({ field }) => field).join(', ')}
      </summary>
      {list}
    </details>
  );
}

function FieldChange({ change, timeZone }: { change: Field; timeZone: string }) {
  const { field, before, after, valuesKept } = change;
  if (!valuesKept)
    return (
      <Text size="xs">
        {field}{' '}
        <Text span c="dimmed">
          has changed. Its values were not kept then.
        </Text>
      </Text>
    );
  const [old, now] = [valueText(field, before, timeZone), valueText(field, after, timeZone)];
  return (
    <div className={classes.field}>
      <span>{field}</span>
      <Value label={`${field} before`} text={old} />
      <Value label={`${field} after`} text={now} />
    </div>
  );
}

function Value({ label, text }: { label: string; text: string }) {
  const long = text.length > 300 || text.split('\n').length > 10;
  if (!long) return <pre className={classes.value}>{text}</pre>;
  return (
    <pre className={`${classes.value} ${classes.long}`} aria-label={label} role="region" tabIndex={0}>
      {text}
    </pre>
  );
}

function valueText(field: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '—';
  if (typeof value === 'string') return field.startsWith('schedule.') ? time(value, timeZone) : value;
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : JSON.stringify(value, null, 2);
}
