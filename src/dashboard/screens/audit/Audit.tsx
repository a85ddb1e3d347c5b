// The audit log: who changed what and when, newest first, with filters and pages in the URL.
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useQuery } from 'urql';
import { AuditLogDocument, type AuditLogQuery } from '../../../../generated/screens/audit/graphql.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { time } from '../../parts/figures.ts';
import { ChoiceFilter } from '../../parts/inputs.tsx';
import { TextLink } from '../../parts/links.tsx';
import { ownTimeZone, useMay } from '../../parts/roles.tsx';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { blankWords } from '../../parts/values.ts';
import { applicationsOf, useMe, type Me } from '../../session/me.ts';
import { ListScreen } from '../ListScreen.tsx';
import type { AuditSearch } from '../searches.ts';
import classes from './Audit.module.css';
import { actions, actionText, detailLines, objectTypes } from './words.ts';

/** As many as `auditLog` gives; entries of one millisecond may make a page longer. */
const pageSize = 50;

export function Audit() {
  const me = useMe();
  const { search } = useAddress('/audit');
  const navigate = useNavigate();
  const [result, read] = useQuery({ query: AuditLogDocument, variables: search, pause: !useMay('admin') });
  return (
    <ListScreen
      title="Audit log"
      about={`Every change in the organization, and every reading of a secret. Times in ${ownTimeZone}.`}
      allowed={{ least: 'admin', what: 'read the audit log' }}
      filters={
        // A filter that a link of the table sets is in the fields, too.
        <AuditFilters
          key={JSON.stringify(search)}
          search={search}
          change={(filter) => void navigate({ to: '/audit', search: filter })}
        />
      }
      {...{ result, read, lines: 12 }}
      pick={(data) => data.auditLog}
      caption="Audit log, newest first"
      columns={columnsOf(me)}
      // The list has equal entries.
      rowKey={(entry) => `${entry.at} ${entry.action} ${entry.objectId} ${result.data!.auditLog.indexOf(entry)}`}
      empty={
        Object.keys(search).length > 0 ? (
          <Empty title="No entry fits">Change or clear the filters.</Empty>
        ) : (
          <Empty title="No entries yet">Changes in the organization appear here.</Empty>
        )
      }
      foot={(entries) => (
        <Group gap="md" mt="sm">
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
      )}
    />
  );
}

type AuditFilter = Omit<AuditSearch, 'before'>;

/** Also a kind that this page does not know yet, from the URL or from a link of the table. */
const withChosen = (words: Record<string, string>, chosen: string | undefined): Record<string, string> =>
  chosen === undefined || chosen in words ? words : { ...words, [chosen]: chosen };

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
        <ChoiceFilter
          label="Action"
          any="All actions"
          words={withChosen(actions, action)}
          value={action}
          change={(next) => change({ ...texts, objectType, action: next })}
        />
        <ChoiceFilter
          label="Kind of object"
          any="All kinds"
          words={withChosen(objectTypes, objectType)}
          value={objectType}
          change={(next) => change({ ...texts, action, objectType: next })}
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

/** A person or an object in the entries narrows the log to itself. */
function columnsOf(me: Me): Column<Entry>[] {
  return [
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
