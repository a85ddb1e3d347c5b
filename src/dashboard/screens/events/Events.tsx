// How often events happen and what their properties add up to, over time and by a property.
import { Button, CloseButton, Group, NativeSelect, Stack, Switch } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EventsReportDocument } from '../../../../generated/screens/events/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker, SelectionEditor } from '../../parts/FilterEditor.tsx';
import { NameInput } from '../../parts/NameInputs.tsx';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { beforeOf, intervals, rangeOf } from '../../parts/range.ts';
import { noEvent, type Selection } from '../../parts/selection.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { same, useDraft } from '../../parts/useDraft.ts';
import { useApplication } from '../../session/me.ts';
import { measures, mostEvents, type EventsSearch } from '../searches.ts';
import classes from './Events.module.css';
import { NamesPanel } from './NamesPanel.tsx';
import { SeriesReport } from './SeriesReport.tsx';
import {
  definitionOf,
  figureWords,
  intervalOf,
  measuresProperty,
  measureWords,
  missingOf,
  searchOf,
  seriesInput,
  settled,
  type Definition,
  type Measure,
} from './question.ts';

export function Events() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/events' });
  const navigate = useNavigate({ from: '/apps/$applicationId/events' });
  const change = (next: Partial<EventsSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = settled(definitionOf(search));
  const asked = rangeOf(search, timeZone);
  const range = { ...asked, interval: intervalOf(asked) };
  const { test = false } = search;
  const input = seriesInput(definition, range, { applicationId, test });
  const missing = missingOf(definition);
  // The values of a breakdown may be others in the period before.
  const compare = definition.breakdown === null;
  const variables = { input, before: { ...input, ...beforeOf(range) }, compare };
  const [result, reread] = useQuestion({ query: EventsReportDocument, variables, pause: missing !== null });
  const units = range.unit === 'USER' ? 'users' : 'devices';
  return (
    <>
      <PageHead title="Events" about={`What happens in the app, over time. Days in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={range} timeZone={timeZone} choices={intervals} change={change} />
        <QuestionEditor
          applicationId={applicationId}
          definition={definition}
          units={units}
          problems={missing === null ? (apiErrorOf(result.error)?.fields ?? []) : []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title={missing === null ? figureWords(definition.measure, units, definition.property) : 'Result'}>
          {missing === null ? (
            <Loaded result={result} pick={(data) => data.eventSeries} retry={reread} lines={10}>
              {(report) => (
                <SeriesReport
                  report={report}
                  before={result.data?.before ?? null}
                  question={input}
                  definition={definition}
                  chosen={search.lines}
                  choose={(lines) => change({ lines })}
                />
              )}
            </Loaded>
          ) : (
            <Empty title="Nothing measured yet">{missing}</Empty>
          )}
        </Panel>
        <NamesPanel search={search} change={change} />
      </Stack>
    </>
  );
}

interface QuestionEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  /** `devices` or `users`. */
  units: string;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

/** Edits which events are measured, how, and by which property they are broken down. */
function QuestionEditor({ applicationId, definition, units, problems, show }: QuestionEditorProps) {
  const { draft, change } = useAskingDraft(definition, show);
  const problemBelow = (path: string): string | undefined =>
    problems.find((problem) => problem.path.startsWith(path))?.message;
  return (
    <Panel title="Question">
      <Stack gap="sm">
        <Rows
          applicationId={applicationId}
          events={draft.events}
          change={(events) => change({ events })}
          errorOf={(at) => problemBelow(`input.events[${at}]`)}
        />
        <Group gap="sm" align="end">
          <NativeSelect
            size="xs"
            label="Measure"
            value={draft.measure}
            onChange={({ target }) => change({ measure: target.value as Measure })}
            data={measures.map((value) => ({ value, label: measureWords(value, units) }))}
          />
          {measuresProperty(draft.measure) && (
            <NameInput
              applicationId={applicationId}
              scope="EVENT"
              label="Measured property"
              value={draft.property}
              change={(property) => change({ property })}
              error={problemBelow('input.property')}
            />
          )}
          <BreakdownPicker
            applicationId={applicationId}
            value={draft.breakdown}
            change={(breakdown) => change({ breakdown })}
          />
        </Group>
      </Stack>
    </Panel>
  );
}

const pauseMs = 500;

/** A draft that is asked for once editing pauses. */
function useAskingDraft(definition: Definition, show: (definition: Definition) => void) {
  const { draft, change, latest, ask } = useDraft({ named: definition, show, begin: withARow });
  const askLatest = useDebouncedCallback(() => {
    const next = settled(latest());
    if (!same(next, definition)) ask(next);
  }, pauseMs);
  const changeAndAsk = (part: Partial<Definition>): void => {
    change(part);
    askLatest();
  };
  return { draft, change: changeAndAsk };
}

/** A new question begins with a row to fill. */
const withARow = (definition: Definition): Definition =>
  definition.events.length > 0 ? definition : { ...definition, events: [noEvent] };

interface RowsProps {
  applicationId: string;
  events: readonly Selection[];
  change: (events: Selection[]) => void;
  errorOf: (at: number) => string | undefined;
}

function Rows({ applicationId, events, change, errorOf }: RowsProps) {
  return (
    <>
      {events.map((event, at) => (
        <div key={at} className={classes.event}>
          <SelectionEditor
            applicationId={applicationId}
            label={events.length === 1 ? 'Event' : `Event ${at + 1}`}
            value={event}
            change={(value) => change(events.map((other, place) => (place === at ? value : other)))}
            error={errorOf(at)}
          />
          {events.length > 1 && (
            <CloseButton
              size="sm"
              aria-label={`Remove event ${at + 1}`}
              onClick={() => change(events.filter((_, other) => other !== at))}
            />
          )}
        </div>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          disabled={events.length >= mostEvents}
          onClick={() => change([...events, noEvent])}
        >
          {events.length >= mostEvents ? `At most ${mostEvents} events` : 'Add event'}
        </Button>
      </Group>
    </>
  );
}
