// Who changed the campaign, when and what, newest first, page by page.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { CampaignHistoryDocument, type CampaignHistoryQuery } from '../../../../generated/screens/campaigns/graphql.ts';
import { stateWords } from '../../parts/campaignStates.ts';
import { time } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import { useMay } from '../../parts/roles.tsx';
import { Loaded } from '../../parts/states.tsx';
import classes from './Campaign.module.css';

const size = 20;
type Change = NonNullable<CampaignHistoryQuery['campaign']>['history'][number];

interface HistoryProps {
  id: string;
  timeZone: string;
}

export function History({ id, timeZone }: HistoryProps) {
  const mayReadLog = useMay('admin');
  // The moments before which the pages begin.
  const [pages, setPages] = useState<(string | null)[]>([null]);
  return (
    <Panel title="History">
      {pages.map((before, at) => (
        <Page
          key={before}
          id={id}
          timeZone={timeZone}
          before={before}
          more={at === pages.length - 1 ? (last) => setPages([...pages, last]) : null}
        />
      ))}
      {mayReadLog && (
        <TextLink to="/audit" search={{ objectType: 'campaign', objectId: id }}>
          In the audit log
        </TextLink>
      )}
    </Panel>
  );
}

interface PageProps extends HistoryProps {
  before: string | null;
  /** Null on all pages but the last. */
  more: ((last: string) => void) | null;
}

function Page({ id, timeZone, before, more }: PageProps) {
  const [result, read] = useQuery({ query: CampaignHistoryDocument, variables: { id, before, limit: size } });
  return (
    <Loaded result={result} pick={(data) => data.campaign?.history} retry={read}>
      {(history) => (
        <>
          <ol className={classes.changes}>
            {history.map((change) => (
              <li key={change.version} className={classes.change}>
                <Entry change={change} timeZone={timeZone} />
              </li>
            ))}
          </ol>
          {more && history.length === size && (
            <Button size="compact-sm" variant="default" onClick={() => more(history.at(-1)!.at)}>
              Earlier changes
            </Button>
          )}
          {before !== null && history.length === 0 && (
            <Text size="sm" c="dimmed">
              There are no earlier changes.
            </Text>
          )}
        </>
      )}
    </Loaded>
  );
}

function Entry({ change, timeZone }: { change: Change; timeZone: string }) {
  const { version, at, by, fromState, toState, changes } = change;
  const moved = fromState && toState ? `${stateWords[fromState]} → ${stateWords[toState]}` : null;
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={500}>
          {moved ?? (version === 1 ? 'Created' : 'Edited')}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          Version {version}, {time(at, timeZone, 'second')}, {by}
        </Text>
      </Group>
      {moved === null && <FieldChanges changes={changes} timeZone={timeZone} />}
    </>
  );
}

type Field = NonNullable<CampaignHistoryQuery['campaign']>['history'][number]['changes'][number];

/** So many are shown at once; more are folded. */
const few = 4;

/** The fields of one change of a campaign, each with its value before and after. */
function FieldChanges({ changes, timeZone }: { changes: readonly Field[]; timeZone: string }) {
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
