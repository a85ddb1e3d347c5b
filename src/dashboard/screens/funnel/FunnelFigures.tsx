// The response of a funnel: what to know of it, its steps with bars, and its breakdown.
import { Stack, Text, Title } from '@mantine/core';
import type { FunnelReportQuery } from '../../../../generated/screens/funnel/graphql.ts';
import { useBehind, type Behind } from '../../parts/BehindDrawer.tsx';
import { DataTable, type Column } from '../../parts/DataTable.tsx';
import { count, duration, percent, time } from '../../parts/figures.ts';
import { FigureButton } from '../../parts/links.tsx';
import { breakdownWords, selectionWords } from '../../parts/selection.ts';
import { Empty } from '../../parts/states.tsx';
import { windowUnits } from '../searches.ts';
import classes from './Funnel.module.css';
import type { FunnelQuestion } from './question.ts';

type FunnelAnswer = NonNullable<FunnelReportQuery['funnel']>;
type StepFigures = FunnelAnswer['steps'][number];

interface FunnelFiguresProps {
  funnel: FunnelAnswer;
  question: FunnelQuestion;
  timeZone: string;
}

export function FunnelFigures({ funnel, question, timeZone }: FunnelFiguresProps) {
  const behind = useBehind();
  const units = question.unit === 'USER' ? 'users' : 'devices';
  const entered = funnel.steps[0]!.count;
  const open = stillOpenFrom(question, funnel.asOf, timeZone);
  return (
    <Stack gap="md">
      {entered === 0 ? (
        <Empty title={`No ${units} entered the funnel`}>
          No event of the first step has arrived in this range. Choose more days or fewer filters.
        </Empty>
      ) : (
        <>
          <FunnelSteps steps={funnel.steps} question={question} open={behind.open} />
          {funnel.breakdown && <FunnelBreakdown breakdown={funnel.breakdown} question={question} open={behind.open} />}
        </>
      )}
      <div>
        {entered > 0 && open !== null && (
          <Text size="xs" c="dimmed">
            Not finished: {units} that entered after {time(open, timeZone)} still have time for the next steps, so the
            counts from step 2 on may grow.
          </Text>
        )}
        {funnel.presentProperties && (
          <Text size="xs" c="dimmed">
            Properties of users and devices are those of now, not those at the time of the event.
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {entered > 0 && `${count(entered)} ${units} entered. `}Read {time(funnel.asOf, timeZone, 'second')} (
          {timeZone}
          ).
        </Text>
      </div>
      {behind.drawer}
    </Stack>
  );
}

interface FunnelStepsProps {
  steps: readonly StepFigures[];
  question: FunnelQuestion;
  open: (behind: Behind) => void;
}

/** The steps of a funnel with their bars. Both counts of a step open the devices behind them. */
function FunnelSteps({ steps, question, open }: FunnelStepsProps) {
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
      style: { width: '20%' },
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

function Count({ value, label, open }: { value: number; label: string; open: () => void }) {
  if (value === 0) return <Text span inherit children="0" />;
  return (
    <FigureButton label={`${count(value)} ${label}: show devices`} open={open}>
      {count(value)}
    </FigureButton>
  );
}

type AskedStep = FunnelQuestion['steps'][number];
const asSelection = ({ filters, ...rest }: AskedStep) => ({ ...rest, filters: filters ?? undefined });

type Row = NonNullable<FunnelAnswer['breakdown']>[number];

interface FunnelBreakdownProps {
  breakdown: readonly Row[];
  question: FunnelQuestion;
  open: (behind: Behind) => void;
}

/** The steps of a funnel for each value of a property of the entering event. */
function FunnelBreakdown({ breakdown, question, open }: FunnelBreakdownProps) {
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

/** Units that entered after this instant may still take steps; null where the window of all has ended. */
function stillOpenFrom(question: FunnelQuestion, asOf: string, timeZone: string): number | null {
  const { within, to } = question;
  const instant = Date.parse(asOf) - within.value * windowUnits[within.unit] * 1_000;
  const day = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(instant));
  return day <= to ? instant : null;
}

/** One value of the breakdown, for what is behind its figures. */
interface Part {
  value: unknown;
  isOther: boolean;
}

interface Figure {
  step: number;
  dropped: boolean;
  /** Null: of the whole funnel. */
  part: Part | null;
}

function behindOf(question: FunnelQuestion, { step, dropped, part }: Figure): Behind {
  const { name } = question.steps[step]!;
  const where = part ? `, ${question.breakdown?.property ?? ''}: ${breakdownWords(part.value, part.isOther)}` : '';
  const title = dropped ? `Dropped before step ${step + 1}, ${name}${where}` : `Step ${step + 1}, ${name}${where}`;
  const line = part && (part.isOther ? { isOther: true } : { breakdownValue: part.value });
  return { title, of: { funnel: question }, point: { funnel: { step, ...(dropped && { dropped }), ...line } } };
}
