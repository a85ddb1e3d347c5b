// How often events happen and what their properties add up to, over time and by a property.
import { Stack, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { EventsReportDocument } from '../../../../generated/screens/events/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { beforeOf, intervals, rangeOf } from '../../parts/range/range.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { NamesPanel } from './NamesPanel.tsx';
import { QuestionEditor } from './QuestionEditor.tsx';
import { type EventsSearch } from '../searches.ts';
import { definitionOf, intervalOf, missingOf, searchOf, seriesInput, settled } from './question.ts';
import { SeriesReport } from './SeriesReport.tsx';
import { figureWords } from './question.ts';

export function Events() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/events' });
  const navigate = useNavigate({ from: '/apps/$applicationId/events' });
  const change = (next: Partial<EventsSearch>) => void navigate({ search: (last) => ({ ...last, ...next }) });
  const definition = settled(definitionOf(search));
  const asked = rangeOf(search, timeZone);
  const range = { ...asked, interval: intervalOf(asked) };
  const { test = false } = search;
  const input = seriesInput(definition, range, { applicationId, test });
  const missing = missingOf(definition);
  // The values of a breakdown may be others in the period before.
  const compare = definition.breakdown === null;
  const variables = { input, before: { ...input, ...beforeOf(range) }, compare };
  const [result, reread] = useQuestion({ query: EventsReportDocument, variables, pause: missing !== null });
  const units = range.unit === 'USER' ? 'users' : 'devices';
  return (
    <>
      <PageHead title="Events" about={`What happens in the app, over time. Days in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Stack>
        <RangePicker range={range} timeZone={timeZone} choices={intervals} change={change} />
        <QuestionEditor
          applicationId={applicationId}
          definition={definition}
          units={units}
          problems={missing === null ? (apiErrorOf(result.error)?.fields ?? []) : []}
          show={(next) => change(searchOf(next))}
        />
        <Panel title={missing === null ? figureWords(definition.measure, units, definition.property) : 'Result'}>
          {missing === null ? (
            <Loaded result={result} pick={(data) => data.eventSeries} retry={reread} lines={10}>
              {(report) => (
                <SeriesReport
                  report={report}
                  before={result.data?.before ?? null}
                  question={input}
                  definition={definition}
                  chosen={search.lines}
                  choose={(lines) => change({ lines })}
                />
              )}
            </Loaded>
          ) : (
            <Empty title="Nothing measured yet">{missing}</Empty>
          )}
        </Panel>
        <NamesPanel search={search} change={change} />
      </Stack>
    </>
  );
}
