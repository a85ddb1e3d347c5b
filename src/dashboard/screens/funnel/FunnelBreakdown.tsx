// The steps of a funnel for each value of a property of the entering event.
import { Text, Title } from '@mantine/core';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { breakdownWords } from '../../parts/events/selection.ts';
import { percent } from '../../parts/figures.ts';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import classes from './Funnel.module.css';
import type { FunnelAnswer } from './FunnelFigures.tsx';
import { behindOf } from './funnelFigures.ts';
import { Count } from './FunnelSteps.tsx';
import type { FunnelQuestion } from './question.ts';

type Row = NonNullable<FunnelAnswer['breakdown']>[number];

interface FunnelBreakdownProps {
  breakdown: readonly Row[];
  question: FunnelQuestion;
  open: (behind: Behind) => void;
}

export function FunnelBreakdown({ breakdown, question, open }: FunnelBreakdownProps) {
  const words = ({ value, isOther }: Row): string => breakdownWords(value, isOther);
  const property = question.breakdown!.property;
  const ofSteps: Column<Row>[] = question.steps.map(({ name }, step) => ({
    key: `step ${step}`,
    head: `${step + 1}. ${cut(name)}`,
    numeric: true,
    cell: (row) => {
      const figure = (
        <Count
          value={row.steps[step]!.count}
          label={`step ${step + 1}, ${words(row)}`}
          open={() => open(behindOf(question, { step, dropped: false, part: row }))}
        />
      );
      if (step === 0) return figure;
      return (
        <span className={classes.pair}>
          {figure}
          <span className={classes.share}>{percent(row.steps[step]!.conversion)}</span>
        </span>
      );
    },
  }));
  return (
    <div>
      <Title order={3} size="h6">
        By <bdi>{property}</bdi> of the first step
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        Beside each count is its share of those that entered with the same value.
      </Text>
      <DataTable
        caption={`Steps of the funnel by ${property}`}
        columns={[{ key: 'value', head: property, title: words, cell: (row) => <bdi>{words(row)}</bdi> }, ...ofSteps]}
        rows={breakdown}
        rowKey={({ value, isOther }) => `${isOther} ${JSON.stringify(value)}`}
        empty={null}
      />
    </div>
  );
}

/** A head is as wide as its text, and the table above has the whole name. */
const cut = (name: string): string => (name.length > 24 ? `${name.slice(0, 24)}…` : name);
