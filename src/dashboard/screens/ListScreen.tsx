// The one way in which screens list what the API has: head, filters, a table with its states, and the way to other pages.
import { Button, Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { DataTable } from '../parts/DataTable.tsx';
import { PageHead, Panel } from '../parts/layout.tsx';
import { CursorPages, type Pages } from '../parts/pages.tsx';
import { Allowed } from '../parts/roles.tsx';
import { Loaded } from '../parts/states.tsx';
import type { Role } from '../session/me.ts';

interface Page<Row> {
  nodes: readonly Row[];
  total?: number;
  endCursor: string | null;
  hasMore: boolean;
}

interface ListProps<Data, Row> extends Omit<ComponentProps<typeof DataTable<Row>>, 'rows'> {
  result: ComponentProps<typeof Loaded<Data, Row>>['result'];
  read: () => void;
  /** Null where the service gave none. */
  pick: (data: Data) => readonly Row[] | Page<Row> | null | undefined;
  lines?: number;
  /** Of a list with cursors: where it stands, and what is listed, one of it and several. */
  pages?: { at: Pages; one: string; many: string; reading?: boolean };
  /** What is said of the rows below them. */
  foot?: (rows: readonly Row[], data: Data) => ReactNode;
}

export function ResourceList<Data, Row>({
  result,
  read,
  pick,
  lines = 8,
  pages,
  foot,
  ...table
}: ListProps<Data, Row>) {
  return (
    <Loaded result={result} pick={pick} retry={read} lines={lines}>
      {(found) => {
        const page = 'nodes' in found ? found : { nodes: found, endCursor: null, hasMore: false };
        return (
          <div>
            <DataTable {...table} rows={page.nodes} />
            {foot?.(page.nodes, result.data!)}
            {pages && (
              <CursorPages
                pages={pages.at}
                one={pages.one}
                many={pages.many}
                shown={page.nodes.length}
                reading={pages.reading ?? result.fetching}
                {...page}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

interface ListScreenProps<Data, Row> extends ListProps<Data, Row> {
  title: string;
  about: string;
  /** At the right of the head. */
  actions?: ReactNode;
  /** Who may read the list, and what the others read in its place: `read the audit log`. */
  allowed?: { least: Role; what: string };
  /** Between the head and the panel. */
  above?: ReactNode;
  /** The head of the panel, where the screen has several. */
  panel?: { title: string; actions: ReactNode };
  /** In the panel, above the list. */
  filters?: ReactNode;
  /** What opens above the screen, and other panels. */
  children?: ReactNode;
}

export function ListScreen<Data, Row>(props: ListScreenProps<Data, Row>) {
  const { title, about, actions, allowed, above, panel, filters, children, ...list } = props;
  const all = (
    <>
      {above}
      <Stack>
        <Panel {...panel}>
          {filters === undefined ? (
            <ResourceList {...list} />
          ) : (
            <Stack gap="sm">
              {filters}
              <ResourceList {...list} />
            </Stack>
          )}
        </Panel>
        {children}
      </Stack>
    </>
  );
  return (
    <>
      <PageHead title={title} about={about}>
        {actions}
      </PageHead>
      {allowed ? <Allowed {...allowed}>{all}</Allowed> : all}
    </>
  );
}

interface RowActionProps {
  label: string;
  /** For readers of the screen: what is done with which row. */
  name: string;
  run: () => void;
  danger?: boolean;
}

export function RowAction({ label, name, run, danger = false }: RowActionProps) {
  return (
    <Button size="compact-xs" variant="default" c={danger ? 'var(--bad)' : undefined} aria-label={name} onClick={run}>
      {label}
    </Button>
  );
}
