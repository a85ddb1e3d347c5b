// Edits a funnel's steps, window, order and breakdown. The report is asked for once all of them are as wanted.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FieldProblem } from '../../api/apiError.ts';
import { BreakdownPicker } from '../../parts/events/BreakdownPicker.tsx';
import { isNamed, noEvent } from '../../parts/events/selection.ts';
import { count } from '../../parts/figures.ts';
import { OpenFormsContext, useOpenForms } from '../../parts/filters/openForms.ts';
import { Panel } from '../../parts/Panel.tsx';
import { same, useDraft } from '../../parts/useDraft.ts';
import { WholeNumberInput } from '../../parts/WholeNumberInput.tsx';
import { mostOf, type WindowUnit } from '../searches.ts';
import { type Definition } from './question.ts';
import { StepsEditor } from './StepsEditor.tsx';

interface FunnelEditorProps {
  applicationId: string;
  /** As the URL has it. */
  definition: Definition;
  problems: readonly FieldProblem[];
  show: (definition: Definition) => void;
}

export function FunnelEditor({ applicationId, definition, problems, show }: FunnelEditorProps) {
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
