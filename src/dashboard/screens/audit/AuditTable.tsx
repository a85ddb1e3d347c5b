// The entries of one page; a person or an object in them narrows the log to itself.
import { Anchor, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AuditLogQuery } from '../../../../generated/screens/audit/graphql.ts';
import { time } from '../../parts/figures.ts';
import { ownTimeZone } from '../../parts/people.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { applicationsOf, useMe, type Me } from '../../session/me.ts';
import classes from './Audit.module.css';
import { actionText, detailLines, objectTypes } from './words.ts';

type Entry = AuditLogQuery['auditLog'][number];

export function AuditTable({ entries, isFiltered }: { entries: Entry[]; isFiltered: boolean }) {
  const me = useMe();
  const columns: Column<Entry>[] = [
    { key: 'at', head: 'When', title: ({ at }) => at, cell: ({ at }) => time(at, ownTimeZone, 'full') },
    {
      key: 'action',
      head: 'Action',
      title: ({ action }) => action,
      cell: ({ action, details }) => actionText(action, details),
    },
    {
      key: 'object',
      head: 'Object',
      title: ({ objectId }) => objectId,
      cell: (entry) => <ObjectOf entry={entry} me={me} />,
    },
    {
      key: 'actor',
      head: 'By',
      title: ({ actor }) => actor,
      cell: ({ actor }) => (
        <div className={classes.named}>
          <TextLink className={classes.target} to="/audit" search={{ actor }}>
            {actor}
          </TextLink>
        </div>
      ),
    },
    { key: 'details', head: 'Details', wrap: true, cell: ({ details }) => <Details lines={detailLines(details)} /> },
  ];
  return (
    <DataTable
      caption="Audit log, newest first"
      columns={columns}
      rows={entries}
      rowKey={(entry) => `${entry.at} ${entry.action} ${entry.objectId} ${entries.indexOf(entry)}`}
      empty={
        isFiltered ? (
          <Empty title="No entry fits">Change or clear the filters.</Empty>
        ) : (
          <Empty title="No entries yet">Changes in the organization appear here.</Empty>
        )
      }
    />
  );
}

function ObjectOf({ entry: { objectType, objectId }, me }: { entry: Entry; me: Me }) {
  return (
    <div className={classes.named}>
      <Text size="xs" c="dimmed">
        {objectTypes[objectType] ?? objectType}
      </Text>
      <TextLink className={classes.target} to="/audit" search={{ objectType, objectId }}>
        {nameOf(objectId, me) ?? objectId}
      </TextLink>
    </div>
  );
}

/** The present name of what still exists; the log itself has ids. */
function nameOf(id: string, me: Me): string | undefined {
  const named = [me.organization, ...(me.organization.projects ?? []), ...applicationsOf(me)];
  return named.find((one) => one.id === id)?.name;
}

const shortLength = 200;

function Details({ lines }: { lines: string[] }) {
  const [all, setAll] = useState(false);
  const text = lines.join('; ');
  const isLong = text.length > shortLength;
  return (
    <Stack gap={0} align="start">
      <Text size="sm">{isLong && !all ? `${text.slice(0, shortLength)}…` : text}</Text>
      {isLong && (
        <Anchor component="button" type="button" size="sm" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show less' : 'Show all'}
        </Anchor>
      )}
    </Stack>
  );
}
