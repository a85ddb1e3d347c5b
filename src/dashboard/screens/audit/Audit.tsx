// The audit log: who changed what and when, newest first, with filters and pages in the URL.
import { Group, Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { AuditLogDocument } from '../../../../generated/screens/audit/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { ownTimeZone } from '../../parts/people.ts';
import { Loaded } from '../../parts/states.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditTable } from './AuditTable.tsx';

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
  );
}
