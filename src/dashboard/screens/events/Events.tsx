// How often events happen and what their properties add up to, over time and by a property.
import { Button, CloseButton, Group, NativeSelect, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { EventsReportDocument } from '../../../../generated/screens/events/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker, SelectionEditor } from '../../parts/FilterEditor.tsx';
import { Panel } from '../../parts/layout.tsx';
import { NameInput } from '../../parts/NameInputs.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { beforeOf, intervals, rangeOf } from '../../parts/range.ts';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { draftOf, problemBelow, type SelectionDraft, selectionOf } from '../../parts/selection.ts';
import { useAddress } from '../../parts/useAddress.ts';
import { same, useDraft } from '../../parts/useDraft.ts';
import { ReportScreen } from '../ReportScreen.tsx';
import { measures, mostEvents } from '../searches.ts';
import classes from './Events.module.css';
import { NamesPanel } from './NamesPanel.tsx';
import {
  type Definition,
  definitionOf,
  figureWords,
  intervalOf,
  type Measure,
  measuresProperty,
  measureWords,
  missingOf,
  searchOf,
  seriesInput,
  settled,
} from './question.ts';
import { SeriesReport } from './SeriesReport.tsx';

export function Events() {
  const address = useAddress('/apps/$applicationId/events');
  const { applicationId, timeZone, search, change } = address;
  const definition = settled(definitionOf(search));
  const asked = rangeOf(search, timeZone);
  const range = { ...asked, interval: intervalOf(asked) };
  const input = seriesInput(definition, range, { applicationId, test: search.test ?? false });
  const missing = missingOf(definition);
  // The values of a breakdown may be others in the period before.
  const compare = definition.breakdown === null;
  const variables = { input, before: { ...input, ...beforeOf(range) }, compare };
  const [result, reread] = useQuestion({ query: EventsReportDocument, variables, pause: missing !== null });
  const units = range.unit === 'USER' ? 'users' : 'devices';
  return (
    <ReportScreen
      title="Events"
      about={`What happens in the app, over time. Days in ${timeZone}.`}
      address={address}
      question={
        <>
          <RangePicker range={range} timeZone={timeZone} choices={intervals} change={change} />
          <QuestionEditor
            applicationId={applicationId}
            definition={definition}
            units={units}
            problems={missing === null ? (apiErrorOf(result.error)?.fields ?? []) : []}
            show={(next) => change(searchOf(next))}
          />
        </>
      }
      panel={missing === null ? figureWords(definition.measure, units, definition.property) : 'Result'}
      missing={missing === null ? null : { title: 'Nothing measured yet', text: missing }}
      {...{ result, reread, lines: 10 }}
      pick={(data) => data.eventSeries}
      below={<NamesPanel search={search} change={change} />}
    >
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
    </ReportScreen>
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
  return (
    <Panel title="Question">
      <Stack gap="sm">
        <Rows
          applicationId={applicationId}
          events={draft.events}
          change={(events) => change({ events })}
          errorOf={(at) => problemBelow(problems, `input.events[${at}]`)}
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
              error={problemBelow(problems, 'input.property')}
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
  const { draft, change, ask } = useDraft({ named: definition, begin: withARow, show });
  const next = settled({ ...draft, events: draft.events.map(selectionOf) });
  const asks = useRef(() => {});
  asks.current = () => ask(next);
  const written = same(next, definition) ? null : JSON.stringify(next);
  useEffect(() => {
    if (written === null) return;
    const timer = setTimeout(() => asks.current(), pauseMs);
    return () => clearTimeout(timer);
  }, [written]);
  return { draft, change };
}

interface Draft extends Omit<Definition, 'events'> {
  events: SelectionDraft[];
}

/** A new question begins with a row to fill. */
const withARow = ({ events, ...rest }: Definition): Draft => ({
  ...rest,
  events: events.length > 0 ? events.map(draftOf) : [draftOf()],
});

interface RowsProps {
  applicationId: string;
  events: readonly SelectionDraft[];
  change: (events: SelectionDraft[]) => void;
  errorOf: (at: number) => string | undefined;
}

function Rows({ applicationId, events, change, errorOf }: RowsProps) {
  return (
    <>
      {events.map((event, at) => (
        <div key={event.key} className={classes.event}>
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
          onClick={() => change([...events, draftOf()])}
        >
          {events.length >= mostEvents ? `At most ${mostEvents} events` : 'Add event'}
        </Button>
      </Group>
    </>
  );
}
