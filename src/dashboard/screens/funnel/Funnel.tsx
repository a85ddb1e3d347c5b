// How many devices or users go through the steps, and where they stop.
import { ActionIcon, Button, CloseButton, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { FunnelReportDocument } from '../../../../generated/screens/funnel/graphql.ts';
import { apiErrorOf, type FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker, OpenFormsContext, SelectionEditor, useOpenForms } from '../../parts/FilterEditor.tsx';
import { RangePicker } from '../../parts/RangePicker.tsx';
import { count } from '../../parts/figures.ts';
import { WholeNumberInput } from '../../parts/inputs.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { rangeOf } from '../../parts/range.ts';
import { isNamed, noEvent, type Selection } from '../../parts/selection.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { same, useDraft } from '../../parts/useDraft.ts';
import { useApplication } from '../../session/me.ts';
import { mostOf, mostSteps, type FunnelSearch, type WindowUnit } from '../searches.ts';
import classes from './Funnel.module.css';
import { FunnelFigures } from './FunnelFigures.tsx';
import { definitionOf, funnelInput, type Definition } from './question.ts';

export function Funnel() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/funnel' });
  const navigate = useNavigate({ from: '/apps/$applicationId/funnel' });
  const change = (next: Partial<FunnelSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const { test = false } = search;
  const input = funnelInput(definition, range, { applicationId, test });
  const ready = definition.steps.length >= 2;
  const [result, reread] = useQuestion({ query: FunnelReportDocument, variables: { input }, pause: !ready });
  return (
    <>
      <PageHead
        title="Funnel"
        about={`How many ${range.unit === 'USER' ? 'users' : 'devices'} go through the steps. Days in ${timeZone}.`}
      >
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={range} timeZone={timeZone} choices={[]} change={change} />
        <FunnelEditor
          applicationId={applicationId}
          definition={definition}
          problems={ready ? (apiErrorOf(result.error)?.fields ?? []) : []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title="Result">
          {ready ? (
            <Loaded result={result} pick={(data) => data.funnel} retry={reread}>
              {(funnel) => <FunnelFigures funnel={funnel} question={input} timeZone={timeZone} />}
            </Loaded>
          ) : (
            <Empty title="No funnel yet">Choose two to eight events above, then “Show funnel”.</Empty>
          )}
        </Panel>
      </Stack>
    </>
  );
}

const searchOf = ({ breakdown, ...rest }: Definition): Partial<FunnelSearch> => ({
  ...rest,
  breakdown: breakdown ?? undefined,
});

interface FunnelEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

/** Edits a funnel's steps, window, order and breakdown. The report is asked for once all of them are as wanted. */
function FunnelEditor({ applicationId, definition, problems, show }: FunnelEditorProps) {
  const { draft, change, latest, ask, round } = useDraft({ named: definition, show, begin: withTwoRows });
  const { forms, settle } = useOpenForms();
  const [tried, setTried] = useState(false);
  const most = mostOf(draft.within.unit);
  const windowRight = Number.isInteger(draft.within.value) && draft.within.value >= 1 && draft.within.value <= most;
  const stepErrors = draft.steps.map((step, at) =>
    tried && !isNamed(step) ? 'Choose an event' : problemBelow(problems, `input.steps[${at}]`),
  );
  const next = withoutOpenBreakdown(draft);
  const submit = (): void => {
    setTried(true);
    const settled = settle();
    if (settled && draft.steps.every(isNamed) && windowRight) ask(withoutOpenBreakdown(latest()));
  };
  const changed = !same(next, withTwoRows(definition));
  return (
    <Panel title="Steps">
      <Stack gap="sm">
        <OpenFormsContext value={forms}>
          <StepsEditor
            key={round}
            applicationId={applicationId}
            steps={draft.steps}
            change={(steps) => change({ steps })}
            errors={stepErrors}
          />
        </OpenFormsContext>
        <Group gap="sm" align="end">
          <Within
            value={draft.within}
            change={(within) => change({ within })}
            error={windowRight ? problemBelow(problems, 'input.within') : `1 to ${count(most)}`}
          />
          <NativeSelect
            size="xs"
            label="Order"
            value={draft.order}
            onChange={({ target }) => change({ order: target.value as Definition['order'] })}
            data={[
              { value: 'ORDERED', label: 'One after the other' },
              { value: 'ANY', label: 'First step first, others in any order' },
            ]}
          />
          <BreakdownPicker
            applicationId={applicationId}
            value={draft.breakdown}
            change={(breakdown) => change({ breakdown })}
          />
        </Group>
        <Group gap="sm">
          <Button size="xs" onClick={submit}>
            Show funnel
          </Button>
          <Text size="xs" c="dimmed" role="status">
            {changed && definition.steps.length > 0 ? 'The result below is of the funnel before your changes.' : ''}
          </Text>
        </Group>
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

/** A new funnel begins with two rows to fill. */
const withTwoRows = (definition: Definition): Definition =>
  definition.steps.length > 0 ? definition : { ...definition, steps: [noEvent, noEvent] };

/** A breakdown whose property is not chosen is none. */
const withoutOpenBreakdown = (draft: Definition): Definition =>
  draft.breakdown?.property.trim() === '' ? { ...draft, breakdown: null } : draft;

const problemBelow = (problems: readonly FieldProblem[], path: string): string | undefined =>
  problems.find((problem) => problem.path.startsWith(path))?.message;

interface StepsEditorProps {
  applicationId: string;
  steps: readonly Selection[];
  change: (steps: Selection[]) => void;
  errors: readonly (string | undefined)[];
}

/** The steps of a funnel as rows: each an event with filters, to be moved and removed. */
function StepsEditor({ applicationId, steps, change, errors }: StepsEditorProps) {
  const keys = useRowKeys(steps.length);
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number): void => {
    keys.move(from, to);
    change(moved(steps, from, to));
  };
  const remove = (at: number): void => {
    keys.remove(at);
    change(steps.filter((_, other) => other !== at));
    // The focused button is gone with its row.
    list.current?.focus();
  };
  return (
    <>
      <ol className={classes.steps} ref={list} tabIndex={-1} aria-label="Steps of the funnel">
        {steps.map((step, at) => (
          <li key={keys.of[at]} className={classes.step}>
            <span className={classes.number} aria-hidden>
              {at + 1}
            </span>
            <SelectionEditor
              applicationId={applicationId}
              label={`Step ${at + 1}`}
              value={step}
              change={(value) => change(steps.map((other, place) => (place === at ? value : other)))}
              error={errors[at]}
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
          onClick={() => {
            keys.add();
            change([...steps, noEvent]);
          }}
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

/** A row keeps what is typed in it, and the focus, when it is moved. */
function useRowKeys(length: number) {
  const last = useRef(length);
  const [of, setOf] = useState(() => Array.from({ length }, (_, at) => at));
  return {
    of,
    add: () => setOf([...of, (last.current += 1)]),
    move: (from: number, to: number) => setOf(moved(of, from, to)),
    remove: (at: number) => setOf(of.filter((_, other) => other !== at)),
  };
}

function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, at) => at !== from);
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)];
}
