// The audit log: who changed what and when, newest first, with filters and pages in the URL.
import { Group, Stack, Button, NativeSelect, TextInput, Anchor, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useQuery } from 'urql';
import { AuditLogDocument, type AuditLogQuery } from '../../../../generated/screens/audit/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { blankWords } from '../../parts/blankText.ts';
import { time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { ownTimeZone } from '../../parts/people.ts';
import { Loaded, Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { applicationsOf, useMe, type Me } from '../../session/me.ts';
import type { AuditSearch } from '../searches.ts';
import classes from './Audit.module.css';
import { actions, objectTypes, actionText, detailLines } from './words.ts';

/** As many as `auditLog` gives; entries of one millisecond may make a page longer. */
const pageSize = 50;

export function Audit() {
  return (
    <>
      <PageHead
        title="Audit log"
        about={`Every change in the organization, and every reading of a secret. Times in ${ownTimeZone}.`}
      />
      <Allowed least="admin" what="read the audit log">
        <Log />
      </Allowed>
    </>
  );
}

function Log() {
  const search = useSearch({ from: '/inside/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const [log, readLog] = useQuery({ query: AuditLogDocument, variables: search });
  return (
    <Panel>
      <Stack gap="sm">
        {/* A filter that a link of the table sets is in the fields, too. */}
        <AuditFilters
          key={JSON.stringify(search)}
          search={search}
          change={(filter) => void navigate({ search: filter })}
        />
        <Loaded result={log} pick={(data) => data.auditLog} retry={readLog} lines={12}>
          {(entries) => (
            <>
              <AuditTable entries={entries} isFiltered={Object.keys(search).length > 0} />
              <Group gap="md">
                {search.before !== undefined && (
                  <TextLink to="/audit" search={{ ...search, before: undefined }}>
                    Newest entries
                  </TextLink>
                )}
                {entries.length >= pageSize && (
                  <TextLink to="/audit" search={{ ...search, before: entries.at(-1)?.at }}>
                    Older entries
                  </TextLink>
                )}
              </Group>
            </>
          )}
        </Loaded>
      </Stack>
    </Panel>
  );
}

type AuditFilter = Omit<AuditSearch, 'before'>;

const choicesOf = (any: string, words: Record<string, string>, chosen: string | undefined) => [
  { value: '', label: any },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
  // A kind that this page does not know yet, from the URL or from a link of the table.
  ...(chosen !== undefined && !(chosen in words) ? [{ value: chosen, label: chosen }] : []),
];

const order: ('label' | 'input' | 'description')[] = ['label', 'input', 'description'];

/** Narrows the audit log by person, action and object; a new filter begins at the newest entry. */
function AuditFilters({ search, change }: { search: AuditSearch; change: (filter: AuditFilter) => void }) {
  const { actor, action, objectType, objectId } = search;
  const [typed, setTyped] = useState({ actor: actor ?? '', objectId: objectId ?? '' });
  const kinds = { action, objectType };
  // An address has no blanks around it, an id of a device may.
  const texts = { actor: typed.actor.trim() || undefined, objectId: typed.objectId || undefined };
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    change({ ...kinds, ...texts });
  };
  const isFiltered = [actor, action, objectType, objectId].some((value) => value !== undefined);
  return (
    <form onSubmit={apply}>
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          label="By"
          placeholder="E-mail address"
          maxLength={300}
          value={typed.actor}
          description={blankWords(typed.actor)}
          inputWrapperOrder={order}
          onChange={({ target }) => setTyped({ ...typed, actor: target.value })}
        />
        <NativeSelect
          size="xs"
          label="Action"
          data={choicesOf('All actions', actions, action)}
          value={action ?? ''}
          onChange={({ target }) => change({ ...texts, objectType, action: target.value || undefined })}
        />
        <NativeSelect
          size="xs"
          label="Kind of object"
          data={choicesOf('All kinds', objectTypes, objectType)}
          value={objectType ?? ''}
          onChange={({ target }) => change({ ...texts, action, objectType: target.value || undefined })}
        />
        <TextInput
          size="xs"
          label="Object"
          placeholder="Id, address or key"
          maxLength={256}
          value={typed.objectId}
          description={blankWords(typed.objectId)}
          inputWrapperOrder={order}
          onChange={({ target }) => setTyped({ ...typed, objectId: target.value })}
        />
        <Button size="xs" variant="default" type="submit">
          Filter
        </Button>
        {isFiltered && (
          <Button size="xs" variant="subtle" onClick={() => change({})}>
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}

type Entry = AuditLogQuery['auditLog'][number];

/** The entries of one page; a person or an object in them narrows the log to itself. */
function AuditTable({ entries, isFiltered }: { entries: Entry[]; isFiltered: boolean }) {
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
