// How many of those that begin in a day, week or month come back later.
import { Button, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { RetentionReportDocument } from '../../../../generated/screens/retention/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { OpenFormsContext, SelectionEditor, useOpenForms } from '../../parts/FilterEditor.tsx';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { WholeNumberInput } from '../../parts/inputs.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { rangeOf } from '../../parts/range.ts';
import { isNamed, noEvent, type Selection } from '../../parts/selection.ts';
import { Loaded } from '../../parts/states.tsx';
import { same, useDraft } from '../../parts/useDraft.ts';
import { useApplication } from '../../session/me.ts';
import { mostPeriods, type RetentionSearch } from '../searches.ts';
import classes from './Retention.module.css';
import { RetentionFigures } from './RetentionFigures.tsx';
import { definitionOf, retentionInput, type Definition } from './question.ts';

export function Retention() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/retention' });
  const navigate = useNavigate({ from: '/apps/$applicationId/retention' });
  const change = (next: Partial<RetentionSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const { test = false } = search;
  const input = retentionInput(definition, range, { applicationId, test });
  const [result, reread] = useQuestion({ query: RetentionReportDocument, variables: { input } });
  return (
    <>
      <PageHead
        title="Retention"
        about={`How many ${input.unit === 'USER' ? 'users' : 'devices'} come back. Days in ${timeZone}.`}
      >
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={{ ...range, interval: input.interval }} timeZone={timeZone} change={change} />
        <RetentionEditor
          applicationId={applicationId}
          definition={definition}
          problems={apiErrorOf(result.error)?.fields ?? []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title="Cohorts">
          <Loaded result={result} pick={(data) => data.retention} retry={reread} lines={8}>
            {(retention) => <RetentionFigures retention={retention} question={input} timeZone={timeZone} />}
          </Loaded>
        </Panel>
      </Stack>
    </>
  );
}

const searchOf = ({ start, returning, ...rest }: Definition): Partial<RetentionSearch> => ({
  ...rest,
  start: start ?? undefined,
  returning: returning ?? undefined,
});

interface RetentionEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

/** Edits what begins a cohort, what counts as a return, and the periods. The report is asked for with the button. */
function RetentionEditor({ applicationId, definition, problems, show }: RetentionEditorProps) {
  const { draft, change, latest, ask } = useDraft({ named: definition, show });
  const { forms, settle } = useOpenForms();
  const [tried, setTried] = useState(false);
  const { start, returning, periods } = draft;
  const periodsRight = Number.isInteger(periods) && periods >= 1 && periods <= mostPeriods;
  const right = [start, returning].every((event) => event === null || isNamed(event)) && periodsRight;
  const errorOf = (event: Selection | null, path: string): string | undefined =>
    tried && event && !isNamed(event)
      ? 'Choose an event'
      : problems.find((problem) => problem.path.startsWith(path))?.message;
  const submit = (): void => {
    setTried(true);
    if (settle() && right) ask(latest());
  };
  return (
    <Panel title="Question">
      <Stack gap="xs">
        <Group gap="md" align="start">
          <OpenFormsContext value={forms}>
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
          </OpenFormsContext>
          <NativeSelect
            size="xs"
            label="A return counts"
            value={draft.mode}
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
        <Group gap="sm">
          <Button size="xs" onClick={submit}>
            Show retention
          </Button>
          <Text size="xs" c="dimmed" role="status">
            {same(draft, definition) ? '' : 'The cohorts below are those before your changes.'}
          </Text>
        </Group>
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
  value: Selection | null;
  change: (value: Selection | null) => void;
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
        onChange={({ target }) => change(target.value === '' ? null : noEvent)}
        data={[
          { value: '', label: choices[0] },
          { value: 'event', label: choices[1] },
        ]}
      />
      {value && (
        <SelectionEditor applicationId={applicationId} label={labels[1]} value={value} change={change} error={error} />
      )}
    </div>
  );
}
