// Edits which events are measured, how, and by which property they are broken down.
import { Button, CloseButton, Group, NativeSelect, Stack } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker } from '../../parts/events/BreakdownPicker.tsx';
import { SelectionEditor } from '../../parts/events/SelectionEditor.tsx';
import { noEvent, type Selection } from '../../parts/events/selection.ts';
import { NameInput } from '../../parts/names/NameInput.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { same, useDraft } from '../../parts/useDraft.ts';
import classes from './Events.module.css';
import { measures, mostEvents } from '../searches.ts';
import { measuresProperty, settled, type Definition, type Measure } from './question.ts';
import { measureWords } from './question.ts';

interface QuestionEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  /** `devices` or `users`. */
  units: string;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

export function QuestionEditor({ applicationId, definition, units, problems, show }: QuestionEditorProps) {
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
