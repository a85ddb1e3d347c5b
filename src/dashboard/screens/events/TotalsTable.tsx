// The measure of the whole range for each line, against the period before or as a share; chooses what is drawn.
import { Checkbox, Text } from '@mantine/core';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { selectionWords, type Selection } from '../../parts/events/selection.ts';
import { change, percent } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import classes from './Events.module.css';
import { formatOf, keyOf, valueWords, type Line, type ReportBefore } from './lines.ts';
import { mostLines } from '../searches.ts';
import { type SeriesQuestion } from './question.ts';

interface TotalsTableProps {
  series: readonly Line[];
  drawn: readonly Line[];
  before: ReportBefore | null;
  question: SeriesQuestion;
  events: readonly Selection[];
  nameOf: (line: Line) => string;
  open: (line: Line) => void;
  toggle: (line: Line) => void;
}

export function TotalsTable(props: TotalsTableProps) {
  const { series, drawn, question, events, before } = props;
  const columns = [
    ...(series.length > 1 ? [drawnColumn(props)] : []),
    ...(events.length > 1 || question.breakdown === null ? [eventColumn(events)] : []),
    ...(question.breakdown === null ? [] : [valueColumn(question.breakdown.property)]),
    totalColumn(props),
    ...(before === null ? [] : beforeColumns(before, question)),
    ...(question.breakdown !== null && question.measure === 'COUNT' ? [shareColumn(series)] : []),
  ];
  return (
    <div>
      {series.length > mostLines && (
        <Text size="xs" c="dimmed" mb={4}>
          The chart draws at most {mostLines} lines.
          {drawn.length === mostLines && ' Take one away to draw another.'}
        </Text>
      )}
      <DataTable caption="Figures of the whole range" columns={columns} rows={series} rowKey={keyOf} empty={null} />
    </div>
  );
}

function drawnColumn({ drawn, nameOf, toggle }: TotalsTableProps): Column<Line> {
  return {
    key: 'drawn',
    head: 'Drawn',
    className: classes.narrow,
    cell: (line) => {
      const at = drawn.indexOf(line);
      return (
        <span className={classes.drawn}>
          <Checkbox
            size="xs"
            aria-label={`Draw ${nameOf(line)}`}
            checked={at !== -1}
            disabled={at === -1 ? drawn.length >= mostLines : drawn.length === 1}
            onChange={() => toggle(line)}
          />
          <span
            className={classes.swatch}
            style={at === -1 ? undefined : { borderTopColor: `var(--series-${at + 1})` }}
          />
        </span>
      );
    },
  };
}

const eventColumn = (events: readonly Selection[]): Column<Line> => ({
  key: 'event',
  head: 'Event',
  className: classes.name,
  cell: ({ index }) => <GivenText text={selectionWords(events[index]!)} cut />,
});

const valueColumn = (property: string): Column<Line> => ({
  key: 'value',
  head: property,
  className: classes.name,
  cell: (line) => <GivenText text={valueWords(line)} cut />,
});

function totalColumn({ question, nameOf, open }: TotalsTableProps): Column<Line> {
  const format = formatOf(question.measure);
  return {
    key: 'total',
    head: 'Whole range',
    numeric: true,
    title: ({ total }) => (total == null ? undefined : String(total)),
    cell: (line) => {
      if (line.total == null) return '—';
      const text = format(line.total);
      // A sum of 0 can have events behind it, a number of 0 has none.
      if (line.total === 0 && question.measure !== 'SUM') return text;
      return (
        <FigureButton label={`${text}: ${nameOf(line)}, show the devices`} open={() => open(line)}>
          {text}
        </FigureButton>
      );
    },
  };
}

function beforeColumns(before: ReportBefore, { measure }: SeriesQuestion): Column<Line>[] {
  const last = ({ index }: Line): number | null => before.series.find((line) => line.index === index)?.total ?? null;
  const changeOf = (line: Line): string | null => {
    const from = last(line);
    return from === null || line.total == null || from < 0 ? null : change(line.total, from);
  };
  return [
    {
      key: 'before',
      head: 'Period before',
      numeric: true,
      cell: (line) => {
        const value = last(line);
        return value === null ? '—' : formatOf(measure)(value);
      },
    },
    { key: 'change', head: 'Change', numeric: true, cell: (line) => changeOf(line) ?? '—' },
  ];
}

/** Of all events of the name: the line of the other values makes them whole. */
const shareColumn = (series: readonly Line[]): Column<Line> => ({
  key: 'share',
  head: 'Share',
  numeric: true,
  cell: ({ index, total }) => {
    const all = series.filter((line) => line.index === index).reduce((sum, line) => sum + (line.total ?? 0), 0);
    return percent(all === 0 ? null : (total ?? 0) / all);
  },
});
