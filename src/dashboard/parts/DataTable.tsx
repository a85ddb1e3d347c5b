// The one way to show a list: a table with a caption, sortable heads, figures to the right, and its own scrolling.
import { Table, Text, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import classes from './DataTable.module.css';

export interface Column<Row> {
  key: string;
  head: string;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  /** Long texts take several lines. */
  wrap?: boolean;
  /** Long texts are cut at the column's width; `title` shows the whole text. */
  title?: (row: Row) => string | undefined;
  /** The name under which the list can be sorted. */
  sort?: string;
  /** Names the row, and stays in sight while the table scrolls sideways. */
  rowHead?: boolean;
  /** Left out on a narrow screen, because another column says the same. */
  wideOnly?: boolean;
  /** Of the cells, where the screen draws them itself. */
  style?: CSSProperties;
}

export interface Sorting {
  by: string;
  descending: boolean;
  change: (by: string) => void;
}

interface DataTableProps<Row> {
  /** Says what the rows are, for readers of the screen that do not see the heading. */
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  sorting?: Sorting;
  /** Shown in place of the table where there are no rows. */
  empty: ReactNode;
}

export function DataTable<Row>({ caption, columns, rows, rowKey, sorting, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    <div className={classes.scroll} role="region" aria-label={caption} tabIndex={0}>
      <Table className={columns.some(({ wrap }) => wrap) ? classes.wrapping : classes.table}>
        <Table.Caption className={classes.caption}>{caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} />
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { numeric, rowHead, style, title, cell, wrap, wideOnly } = column;
  const kind = numeric ? classes.numeric : wrap ? classes.wrap : classes.text;
  const own = [kind, wideOnly && classes.wideOnly].filter(Boolean).join(' ');
  if (rowHead) {
    return (
      <Table.Th scope="row" className={`${own} ${classes.rowHead}`} style={style} title={title?.(row)}>
        {cell(row)}
      </Table.Th>
    );
  }
  return (
    <Table.Td data-numeric={numeric || undefined} className={own} style={style} title={title?.(row)}>
      {cell(row)}
    </Table.Td>
  );
}

function Head<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const { key, head, numeric, sort, rowHead, wideOnly } = column;
  // The name of a property may have 256 characters.
  const long = head.length > 40;
  const kinds = [numeric && classes.numeric, rowHead && classes.rowHeadTop];
  const own = [...kinds, wideOnly && classes.wideOnly, long && classes.longHead];
  const sorted = sort !== undefined && sorting?.by === sort;
  const order = sorted ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <Table.Th
      key={key}
      scope="col"
      aria-sort={order}
      data-numeric={numeric || undefined}
      className={own.filter(Boolean).join(' ') || undefined}
      title={long ? head : undefined}
    >
      {sort !== undefined && sorting ? (
        <UnstyledButton className={classes.sort} onClick={() => sorting.change(sort)}>
          {head}
          <Text span aria-hidden>
            {order === undefined ? '' : order === 'descending' ? ' ↓' : ' ↑'}
          </Text>
        </UnstyledButton>
      ) : (
        head
      )}
    </Table.Th>
  );
}

/** A cell with what matters most in its first line and more about it below, so that a table keeps its columns in sight. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <>
      <div className={classes.line}>{first}</div>
      <Text size="xs" c="dimmed" component="div" className={classes.line}>
        {second}
      </Text>
    </>
  );
}

// One stop for the Tab key in a table of many buttons: arrow keys, Home and End go from button to button.

const steps: Record<string, [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** For the element around the table, whose buttons have a `tabIndex` of -1. */
export function useArrowKeys() {
  const ref = useRef<HTMLDivElement>(null);
  const stop = useRef<HTMLElement | null>(null);
  const makeStop = (button: HTMLElement | null): void => {
    if (stop.current) stop.current.tabIndex = -1;
    if (button) button.tabIndex = 0;
    stop.current = button;
  };
  useEffect(() => {
    if (!stop.current?.isConnected) makeStop(ref.current?.querySelector('td button') ?? null);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const cell = (event.target as HTMLElement).closest('td');
    const next = cell && target(cell, event.key);
    if (!next) return;
    event.preventDefault();
    makeStop(next);
    next.focus();
  };
  const onFocus = ({ target }: { target: EventTarget }): void => {
    if (target instanceof HTMLButtonElement && target.closest('td')) makeStop(target);
  };
  return { ref, onKeyDown, onFocus };
}

function target(cell: HTMLTableCellElement, key: string): HTMLButtonElement | null {
  const row = cell.parentElement as HTMLTableRowElement;
  if (key === 'Home') return row.querySelector('td button');
  if (key === 'End') return [...row.querySelectorAll<HTMLButtonElement>('td button')].at(-1) ?? null;
  const step = steps[key];
  return step ? nextButton(cell, step) : null;
}

/** Skips cells without a button. */
function nextButton(from: HTMLTableCellElement, [down, right]: [number, number]): HTMLButtonElement | null {
  const rows = [...from.closest('tbody')!.rows];
  let [row, column] = [rows.indexOf(from.parentElement as HTMLTableRowElement), from.cellIndex];
  for (;;) {
    [row, column] = [row + down, column + right];
    const cell = rows[row]?.cells[column];
    if (!cell || row < 0) return null;
    const button = cell.querySelector('button');
    if (button) return button;
  }
}
