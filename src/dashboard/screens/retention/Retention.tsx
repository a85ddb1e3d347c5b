// How many of those that begin in a day, week or month come back later.
import { Stack, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RetentionReportDocument } from '../../../../generated/screens/retention/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { rangeOf } from '../../parts/range/range.ts';
import { Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { RetentionEditor } from './RetentionEditor.tsx';
import { RetentionFigures } from './RetentionFigures.tsx';
import { type RetentionSearch } from '../searches.ts';
import { definitionOf, retentionInput, type Definition } from './question.ts';

export function Retention() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/retention' });
  const navigate = useNavigate({ from: '/apps/$applicationId/retention' });
  const change = (next: Partial<RetentionSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const { test = false } = search;
  const input = retentionInput(definition, range, { applicationId, test });
  const [result, reread] = useQuestion({ query: RetentionReportDocument, variables: { input } });
  return (
    <>
      <PageHead
        title="Retention"
        about={`How many ${input.unit === 'USER' ? 'users' : 'devices'} come back. Days in ${timeZone}.`}
      >
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={{ ...range, interval: input.interval }} timeZone={timeZone} change={change} />
        <RetentionEditor
          applicationId={applicationId}
          definition={definition}
          problems={apiErrorOf(result.error)?.fields ?? []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title="Cohorts">
          <Loaded result={result} pick={(data) => data.retention} retry={reread} lines={8}>
            {(retention) => <RetentionFigures retention={retention} question={input} timeZone={timeZone} />}
          </Loaded>
        </Panel>
      </Stack>
    </>
  );
}

const searchOf = ({ start, returning, ...rest }: Definition): Partial<RetentionSearch> => ({
  ...rest,
  start: start ?? undefined,
  returning: returning ?? undefined,
});
