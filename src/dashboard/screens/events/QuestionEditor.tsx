// Edits which events are measured, how, and by which property they are broken down.
import { Button, CloseButton, Group, NativeSelect, Stack } from '@mantine/core';
import type { FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker } from '../../parts/events/BreakdownPicker.tsx';
import { SelectionEditor } from '../../parts/events/SelectionEditor.tsx';
import { noEvent, type Selection } from '../../parts/events/selection.ts';
import { NameInput } from '../../parts/names/NameInput.tsx';
import { Panel } from '../../parts/Panel.tsx';
import classes from './Events.module.css';
import { measures, measuresProperty, mostEvents, type Definition, type Measure } from './search.ts';
import { useDraft } from './useDraft.ts';
import { measureWords } from './words.ts';

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
  const [draft, change] = useDraft(definition, show);
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
