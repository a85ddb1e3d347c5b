// The one way to show a list: a table with a caption, sortable heads, figures to the right, and its own scrolling.
import { Table, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
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
  /** Of the cells, where the screen draws them itself. */
  className?: string;
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
  const { numeric, rowHead, className, title, cell, wrap } = column;
  const own = [numeric ? classes.numeric : wrap ? classes.wrap : classes.text, className].filter(Boolean).join(' ');
  if (rowHead) {
    return (
      <Table.Th scope="row" className={`${own} ${classes.rowHead}`} title={title?.(row)}>
        {cell(row)}
      </Table.Th>
    );
  }
  return (
    <Table.Td data-numeric={numeric || undefined} className={own} title={title?.(row)}>
      {cell(row)}
    </Table.Td>
  );
}

function Head<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const { key, head, numeric, sort, rowHead } = column;
  const sorted = sort !== undefined && sorting?.by === sort;
  const order = sorted ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <Table.Th
      key={key}
      scope="col"
      aria-sort={order}
      data-numeric={numeric || undefined}
      className={numeric ? classes.numeric : rowHead ? classes.rowHead : undefined}
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
