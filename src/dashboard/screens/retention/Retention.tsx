// How many of those that begin in a day, week or month come back later.
import { Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { RetentionReportDocument } from '../../../../generated/screens/retention/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { SelectionEditor } from '../../parts/FilterEditor.tsx';
import { WholeNumberInput } from '../../parts/inputs.tsx';
import { Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { rangeOf } from '../../parts/range.ts';
import { RangePicker } from '../../parts/RangePicker.tsx';
import {
  draftOf,
  isNamed,
  isReady,
  problemBelow,
  type SelectionDraft,
  selectionOf,
  withOpenFilter,
} from '../../parts/selection.ts';
import { useAddress } from '../../parts/useAddress.ts';
import { same, useDraft } from '../../parts/useDraft.ts';
import { EditorFoot, ReportScreen } from '../ReportScreen.tsx';
import { mostPeriods } from '../searches.ts';
import { type Definition, definitionOf, retentionInput } from './question.ts';
import classes from './Retention.module.css';
import { RetentionFigures } from './RetentionFigures.tsx';

export function Retention() {
  const address = useAddress('/apps/$applicationId/retention');
  const { applicationId, timeZone, search, change } = address;
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const input = retentionInput(definition, range, { applicationId, test: search.test ?? false });
  const [result, reread] = useQuestion({ query: RetentionReportDocument, variables: { input } });
  return (
    <ReportScreen
      title="Retention"
      about={`How many ${input.unit === 'USER' ? 'users' : 'devices'} come back. Days in ${timeZone}.`}
      address={address}
      question={
        <>
          <RangePicker range={{ ...range, interval: input.interval }} timeZone={timeZone} change={change} />
          <RetentionEditor
            applicationId={applicationId}
            definition={definition}
            problems={apiErrorOf(result.error)?.fields ?? []}
            show={({ start, returning, ...rest }) =>
              change({ ...rest, start: start ?? undefined, returning: returning ?? undefined })
            }
          />
        </>
      }
      panel="Cohorts"
      {...{ result, reread, lines: 8 }}
      pick={(data) => data.retention}
    >
      {(retention) => <RetentionFigures retention={retention} question={input} timeZone={timeZone} />}
    </ReportScreen>
  );
}

interface RetentionEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

interface Draft extends Omit<Definition, 'start' | 'returning'> {
  start: SelectionDraft | null;
  returning: SelectionDraft | null;
}

const begin = ({ start, returning, mode, periods }: Definition): Draft => ({
  start: start && draftOf(start),
  returning: returning && draftOf(returning),
  ...{ mode, periods },
});

const named = ({ start, returning, mode, periods }: Draft): Definition => ({
  start: start && selectionOf(start),
  returning: returning && selectionOf(returning),
  ...{ mode, periods },
});

/** Edits what begins a cohort, what counts as a return, and the periods. The report is asked for with the button. */
function RetentionEditor({ applicationId, definition, problems, show }: RetentionEditorProps) {
  const { draft, change, ask } = useDraft({ named: definition, begin, show });
  const [tried, setTried] = useState(false);
  const { start, returning, mode, periods } = draft;
  const periodsRight = Number.isInteger(periods) && periods >= 1 && periods <= mostPeriods;
  const errorOf = (event: SelectionDraft | null, path: string): string | undefined =>
    tried && event && !isNamed(event) ? 'Choose an event' : problemBelow(problems, path);
  const submit = (): void => {
    setTried(true);
    const taken = { start: start && withOpenFilter(start), returning: returning && withOpenFilter(returning) };
    change(taken);
    const right = [taken.start, taken.returning].every((event) => event === null || isReady(event));
    if (right && periodsRight) ask(named({ ...taken, mode, periods }));
  };
  return (
    <Panel title="Question">
      <Stack gap="xs">
        <Group gap="md" align="start">
          <Choice
            applicationId={applicationId}
            labels={['Begin with', 'First event']}
            choices={['the first activity', 'the first event of a name']}
            value={start}
            change={(value) => change({ start: value })}
            error={errorOf(start, 'input.start')}
          />
          <Choice
            applicationId={applicationId}
            labels={['Come back with', 'Returning event']}
            choices={['any activity', 'an event']}
            value={returning}
            change={(value) => change({ returning: value })}
            error={errorOf(returning, 'input.returning')}
          />
          <NativeSelect
            size="xs"
            label="A return counts"
            value={mode}
            onChange={({ target }) => change({ mode: target.value as Definition['mode'] })}
            data={[
              { value: 'ON', label: 'in the period' },
              { value: 'ON_OR_AFTER', label: 'in the period or later' },
            ]}
          />
          <WholeNumberInput
            size="xs"
            w={90}
            label="Periods"
            value={periods}
            change={(typed) => change({ periods: typed })}
            error={periodsRight ? undefined : `1 to ${mostPeriods}`}
          />
        </Group>
        <EditorFoot
          label="Show retention"
          note={same(named(draft), definition) ? '' : 'The cohorts below are those before your changes.'}
          show={submit}
        />
      </Stack>
    </Panel>
  );
}

interface ChoiceProps {
  applicationId: string;
  /** Of the choice, and of the event. */
  labels: [string, string];
  /** Without and with an event. */
  choices: [string, string];
  value: SelectionDraft | null;
  change: (value: SelectionDraft | null) => void;
  error?: string;
}

function Choice({ applicationId, labels, choices, value, change, error }: ChoiceProps) {
  return (
    <div className={classes.choice}>
      <NativeSelect
        size="xs"
        w={220}
        label={labels[0]}
        value={value ? 'event' : ''}
        onChange={({ target }) => change(target.value === '' ? null : draftOf())}
        data={[
          { value: '', label: choices[0] },
          { value: 'event', label: choices[1] },
        ]}
      />
      {value && <SelectionEditor {...{ applicationId, value, change, error }} label={labels[1]} asksByButton />}
    </div>
  );
}
