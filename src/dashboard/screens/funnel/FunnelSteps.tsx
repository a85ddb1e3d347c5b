// The steps of a funnel with their bars. Both counts of a step open the devices behind them.
import { Text } from '@mantine/core';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { selectionWords } from '../../parts/events/selection.ts';
import { count, duration, percent } from '../../parts/figures.ts';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import classes from './Funnel.module.css';
import type { StepFigures } from './FunnelFigures.tsx';
import { behindOf } from './funnelFigures.ts';
import type { FunnelQuestion } from './question.ts';

interface FunnelStepsProps {
  steps: readonly StepFigures[];
  question: FunnelQuestion;
  open: (behind: Behind) => void;
}

export function FunnelSteps({ steps, question, open }: FunnelStepsProps) {
  const words = ({ index }: StepFigures): string => selectionWords(asSelection(question.steps[index]!));
  const before = ({ index }: StepFigures): StepFigures => steps[index - 1]!;
  const ordered = question.order === 'ORDERED';
  const columns: Column<StepFigures>[] = [
    { key: 'number', head: 'Step', numeric: true, cell: ({ index }) => index + 1 },
    {
      key: 'event',
      head: 'Event',
      wrap: true,
      title: words,
      cell: (step) => <bdi className={classes.event}>{words(step)}</bdi>,
    },
    {
      key: 'bar',
      head: 'Share',
      wideOnly: true,
      className: classes.bar,
      cell: ({ conversion }) => <Bar share={conversion ?? 0} />,
    },
    { key: 'conversion', head: 'Of all entered', numeric: true, cell: ({ conversion }) => percent(conversion) },
    {
      key: 'count',
      head: question.unit === 'USER' ? 'Users' : 'Devices',
      numeric: true,
      cell: (step) => (
        <Count
          value={step.count}
          label={`step ${step.index + 1}`}
          open={() => open(behindOf(question, { step: step.index, dropped: false, part: null }))}
        />
      ),
    },
    {
      key: 'previous',
      head: 'From step before',
      numeric: true,
      cell: (step) => (step.index === 0 ? '' : percent(step.fromPrevious)),
    },
    {
      key: 'dropped',
      head: 'Dropped',
      numeric: true,
      cell: (step) =>
        step.index === 0 ? (
          ''
        ) : (
          <Count
            value={before(step).count - step.count}
            label={`dropped before step ${step.index + 1}`}
            open={() => open(behindOf(question, { step: step.index, dropped: true, part: null }))}
          />
        ),
    },
    {
      key: 'median',
      head: 'Median time',
      numeric: true,
      cell: ({ index, medianSeconds }) => (index === 0 ? '' : duration(medianSeconds)),
    },
  ];
  return (
    <DataTable
      caption="Steps of the funnel"
      columns={ordered ? columns : columns.filter(({ key }) => key !== 'median')}
      rows={steps}
      rowKey={({ index }) => String(index)}
      empty={null}
    />
  );
}

/** The column beside it says the same as a figure. */
function Bar({ share }: { share: number }) {
  return (
    <div className={classes.track} aria-hidden>
      <div className={classes.fill} style={{ width: `${share * 100}%` }} />
    </div>
  );
}

export function Count({ value, label, open }: { value: number; label: string; open: () => void }) {
  if (value === 0) return <Text span inherit children="0" />;
  return (
    <FigureButton label={`${count(value)} ${label}: show devices`} open={open}>
      {count(value)}
    </FigureButton>
  );
}

type AskedStep = FunnelQuestion['steps'][number];
const asSelection = ({ filters, ...rest }: AskedStep) => ({ ...rest, filters: filters ?? undefined });
