// How many devices or users go through the steps, and where they stop.
import { Stack, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { FunnelReportDocument } from '../../../../generated/screens/funnel/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { rangeOf } from '../../parts/range/range.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { FunnelEditor } from './FunnelEditor.tsx';
import { FunnelFigures } from './FunnelFigures.tsx';
import { type FunnelSearch } from '../searches.ts';
import { definitionOf, funnelInput, type Definition } from './question.ts';

export function Funnel() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/funnel' });
  const navigate = useNavigate({ from: '/apps/$applicationId/funnel' });
  const change = (next: Partial<FunnelSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = definitionOf(search);
  const range = rangeOf(search, timeZone);
  const { test = false } = search;
  const input = funnelInput(definition, range, { applicationId, test });
  const ready = definition.steps.length >= 2;
  const [result, reread] = useQuestion({ query: FunnelReportDocument, variables: { input }, pause: !ready });
  return (
    <>
      <PageHead
        title="Funnel"
        about={`How many ${range.unit === 'USER' ? 'users' : 'devices'} go through the steps. Days in ${timeZone}.`}
      >
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={range} timeZone={timeZone} choices={[]} change={change} />
        <FunnelEditor
          applicationId={applicationId}
          definition={definition}
          problems={ready ? (apiErrorOf(result.error)?.fields ?? []) : []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title="Result">
          {ready ? (
            <Loaded result={result} pick={(data) => data.funnel} retry={reread}>
              {(funnel) => <FunnelFigures funnel={funnel} question={input} timeZone={timeZone} />}
            </Loaded>
          ) : (
            <Empty title="No funnel yet">Choose two to eight events above, then “Show funnel”.</Empty>
          )}
        </Panel>
      </Stack>
    </>
  );
}

const searchOf = ({ breakdown, ...rest }: Definition): Partial<FunnelSearch> => ({
  ...rest,
  breakdown: breakdown ?? undefined,
});
