// The steps of a funnel as rows: each an event with filters, to be moved and removed.
import { ActionIcon, Button, CloseButton, Group } from '@mantine/core';
import { useRef, useState } from 'react';
import { SelectionEditor } from '../../parts/events/SelectionEditor.tsx';
import { noEvent, type Selection } from '../../parts/events/selection.ts';
import classes from './Funnel.module.css';
import { mostSteps } from '../searches.ts';

interface StepsEditorProps {
  applicationId: string;
  steps: readonly Selection[];
  change: (steps: Selection[]) => void;
  errors: readonly (string | undefined)[];
}

export function StepsEditor({ applicationId, steps, change, errors }: StepsEditorProps) {
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
