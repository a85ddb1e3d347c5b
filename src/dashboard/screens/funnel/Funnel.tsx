// How many devices or users go through the steps, and where they stop.
import { ActionIcon, Button, CloseButton, Group, NativeSelect, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { FunnelReportDocument } from '../../../../generated/screens/funnel/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { count } from '../../parts/figures.ts';
import { BreakdownPicker, SelectionEditor } from '../../parts/FilterEditor.tsx';
import { WholeNumberInput } from '../../parts/inputs.tsx';
import { Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { rangeOf } from '../../parts/range.ts';
import { RangePicker } from '../../parts/RangePicker.tsx';
import {
  chosenBreakdown,
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
import { mostOf, mostSteps, type WindowUnit } from '../searches.ts';
import classes from './Funnel.module.css';
import { FunnelFigures } from './FunnelFigures.tsx';
import { type Definition, definitionOf, funnelInput } from './question.ts';

export function Funnel() {
  const address = useAddress('/apps/$applicationId/funnel');
  const { applicationId, timeZone, search, change } = address;
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const input = funnelInput(definition, range, { applicationId, test: search.test ?? false });
  const ready = definition.steps.length >= 2;
  const [result, reread] = useQuestion({ query: FunnelReportDocument, variables: { input }, pause: !ready });
  return (
    <ReportScreen
      title="Funnel"
      about={`How many ${range.unit === 'USER' ? 'users' : 'devices'} go through the steps. Days in ${timeZone}.`}
      address={address}
      question={
        <>
          <RangePicker range={range} timeZone={timeZone} choices={[]} change={change} />
          <FunnelEditor
            applicationId={applicationId}
            definition={definition}
            problems={ready ? (apiErrorOf(result.error)?.fields ?? []) : []}
            show={({ breakdown, ...rest }) => change({ ...rest, breakdown: breakdown ?? undefined })}
          />
        </>
      }
      panel="Result"
      missing={ready ? null : { title: 'No funnel yet', text: 'Choose two to eight events above, then “Show funnel”.' }}
      {...{ result, reread }}
      pick={(data) => data.funnel}
    >
      {(funnel) => <FunnelFigures funnel={funnel} question={input} timeZone={timeZone} />}
    </ReportScreen>
  );
}

interface FunnelEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

/** Edits a funnel's steps, window, order and breakdown. The report is asked for once all of them are as wanted. */
function FunnelEditor({ applicationId, definition, problems, show }: FunnelEditorProps) {
  const { draft, change, ask } = useDraft({ named: definition, begin: withTwoRows, show });
  const [tried, setTried] = useState(false);
  const { steps, within, order } = draft;
  const most = mostOf(within.unit);
  const windowRight = Number.isInteger(within.value) && within.value >= 1 && within.value <= most;
  const stepErrors = steps.map((step, at) =>
    tried && !isNamed(step) ? 'Choose an event' : problemBelow(problems, `input.steps[${at}]`),
  );
  const isChanged = definition.steps.length > 0 && !same(named(draft), definition);
  const submit = (): void => {
    setTried(true);
    const taken = steps.map(withOpenFilter);
    change({ steps: taken });
    if (taken.every(isReady) && windowRight) ask(named({ ...draft, steps: taken }));
  };
  return (
    <Panel title="Steps">
      <Stack gap="sm">
        <StepsEditor
          applicationId={applicationId}
          steps={steps}
          change={(next) => change({ steps: next })}
          errors={stepErrors}
        />
        <Group gap="sm" align="end">
          <Within
            value={within}
            change={(next) => change({ within: next })}
            error={windowRight ? problemBelow(problems, 'input.within') : `1 to ${count(most)}`}
          />
          <NativeSelect
            size="xs"
            label="Order"
            value={order}
            onChange={({ target }) => change({ order: target.value as Definition['order'] })}
            data={[
              { value: 'ORDERED', label: 'One after the other' },
              { value: 'ANY', label: 'First step first, others in any order' },
            ]}
          />
          <BreakdownPicker
            applicationId={applicationId}
            value={draft.breakdown}
            change={(next) => change({ breakdown: next })}
          />
        </Group>
        <EditorFoot
          label="Show funnel"
          note={isChanged ? 'The result below is of the funnel before your changes.' : ''}
          show={submit}
        />
      </Stack>
    </Panel>
  );
}

interface WithinProps {
  value: Definition['within'];
  change: (value: Definition['within']) => void;
  error?: string;
}

function Within({ value, change, error }: WithinProps) {
  return (
    <Group gap={4} align="start" wrap="nowrap">
      <WholeNumberInput
        size="xs"
        w={90}
        label="Within"
        value={value.value}
        change={(typed) => change({ ...value, value: typed })}
        error={error}
      />
      <NativeSelect
        size="xs"
        label="Unit"
        value={value.unit}
        onChange={({ target }) => change({ ...value, unit: target.value as WindowUnit })}
        data={[
          { value: 'MINUTE', label: 'minutes' },
          { value: 'HOUR', label: 'hours' },
          { value: 'DAY', label: 'days' },
        ]}
      />
    </Group>
  );
}

interface Draft extends Omit<Definition, 'steps'> {
  steps: SelectionDraft[];
}

const named = ({ steps, within, order, breakdown }: Draft): Definition => ({
  steps: steps.map(selectionOf),
  ...{ within, order },
  breakdown: chosenBreakdown(breakdown),
});

/** A new funnel begins with two rows to fill. */
const withTwoRows = ({ steps, ...rest }: Definition): Draft => ({
  ...rest,
  steps: steps.length > 0 ? steps.map(draftOf) : [draftOf(), draftOf()],
});

interface StepsEditorProps {
  applicationId: string;
  steps: readonly SelectionDraft[];
  change: (steps: SelectionDraft[]) => void;
  errors: readonly (string | undefined)[];
}

/** The steps of a funnel as rows: each an event with filters, to be moved and removed. */
function StepsEditor({ applicationId, steps, change, errors }: StepsEditorProps) {
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number): void => change(moved(steps, from, to));
  const remove = (at: number): void => {
    change(steps.filter((_, other) => other !== at));
    // The focused button is gone with its row.
    list.current?.focus();
  };
  return (
    <>
      <ol className={classes.steps} ref={list} tabIndex={-1} aria-label="Steps of the funnel">
        {steps.map((step, at) => (
          <li key={step.key} className={classes.step}>
            <span className={classes.number} aria-hidden>
              {at + 1}
            </span>
            <SelectionEditor
              applicationId={applicationId}
              label={`Step ${at + 1}`}
              value={step}
              change={(value) => change(steps.map((other, place) => (place === at ? value : other)))}
              error={errors[at]}
              asksByButton
            />
            <RowButtons at={at} of={steps.length} move={move} remove={remove} />
          </li>
        ))}
      </ol>
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          disabled={steps.length >= mostSteps}
          onClick={() => change([...steps, draftOf()])}
        >
          {steps.length >= mostSteps ? `At most ${mostSteps} steps` : 'Add step'}
        </Button>
      </Group>
    </>
  );
}

interface RowButtonsProps {
  at: number;
  of: number;
  move: (from: number, to: number) => void;
  remove: (at: number) => void;
}

function RowButtons({ at, of, move, remove }: RowButtonsProps) {
  const name = `step ${at + 1}`;
  return (
    <Group gap={4} wrap="nowrap" className={classes.buttons}>
      <ActionIcon
        size="sm"
        variant="default"
        disabled={at === 0}
        aria-label={`Move ${name} up`}
        onClick={() => move(at, at - 1)}
      >
        ↑
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="default"
        disabled={at === of - 1}
        aria-label={`Move ${name} down`}
        onClick={() => move(at, at + 1)}
      >
        ↓
      </ActionIcon>
      <CloseButton size="sm" disabled={of <= 2} aria-label={`Remove ${name}`} onClick={() => remove(at)} />
    </Group>
  );
}

function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, at) => at !== from);
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)];
}
