// The subscriptions at an instant, against thirty days before, and what they bring in a month.
import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { SubscriptionsDocument, type SubscriptionsQuery } from '../../../../generated/screens/subscriptions/graphql.ts';
import classes from '../../parts/filters/FilterBar.module.css';
import { change as grown, count, time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { instantOf, localOf } from '../../parts/range/zonedTime.ts';
import { Loaded } from '../../parts/states.tsx';
import { Tiles } from '../../parts/tiles/Tiles.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { MonthlyRevenue } from './MonthlyRevenue.tsx';

const daysBefore = 30;

export function Subscriptions() {
  const { applicationId, timeZone } = useApplication();
  const { at, test = false } = useSearch({ from: '/inside/apps/$applicationId/subscriptions' });
  const navigate = useNavigate({ from: '/apps/$applicationId/subscriptions' });
  // Another instant with each rendering would be another question.
  const [now] = useState(() => new Date().toISOString());
  const before = new Date(Date.parse(at ?? now) - daysBefore * 86_400_000).toISOString();
  const variables = { applicationId, at, before, includeTest: test };
  const [result, read] = useQuery({ query: SubscriptionsDocument, variables });
  return (
    <>
      <PageHead title="Subscriptions" about="Subscriptions that renew by themselves, as they stand at an instant.">
        <Switch
          label="Sandbox"
          checked={test}
          onChange={({ target }) =>
            void navigate({ search: (last) => ({ ...last, test: target.checked || undefined }) })
          }
        />
      </PageHead>
      <InstantChoice
        at={at}
        {...{ now, timeZone }}
        change={(next) => void navigate({ search: (last) => ({ ...last, at: next }) })}
      />
      <Loaded result={result} pick={(data) => data.subscriptions} retry={read}>
        {(figures) => (
          <Stack>
            <SubscriptionTiles figures={figures} before={result.data?.before ?? null} />
            <Text size="xs" c="dimmed">
              Compared with {time(before, timeZone)}, {daysBefore} days before. As of{' '}
              {time(figures.asOf, timeZone, 'second')}.
            </Text>
            <Panel title="Monthly revenue">
              <MonthlyRevenue
                now={figures.mrr}
                before={result.data?.before?.mrr ?? null}
                head={`${daysBefore} days before`}
              />
            </Panel>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

interface InstantChoiceProps {
  at: string | undefined;
  now: string;
  timeZone: string;
  change: (at: string | undefined) => void;
}

function InstantChoice({ at, now, timeZone, change }: InstantChoiceProps) {
  return (
    <div className={classes.bar}>
      <TextInput
        size="xs"
        type="datetime-local"
        label={`At (${timeZone})`}
        value={localOf(at ?? now, timeZone)}
        max={localOf(now, timeZone)}
        // A year that is still being typed has leading zeros.
        onChange={({ target }) => target.value >= '1970' && change(instantOf(target.value, timeZone))}
      />
      <Button size="xs" variant="default" disabled={at === undefined} onClick={() => change(undefined)}>
        Now
      </Button>
    </div>
  );
}

type Figures = NonNullable<SubscriptionsQuery['before']>;

const names = [
  ['active', 'Active', 'They run. Those in a grace period are in it.'],
  ['trials', 'In a free trial', 'Active ones whose present period is a free trial.'],
  ['inGrace', 'In grace', 'Active ones whose paid period is over while the store tries to charge the next one.'],
  ['inRetry', 'In billing retry', 'They have ended, and the store still tries to charge the renewal.'],
] as const;

function SubscriptionTiles({ figures, before }: { figures: Figures; before: Figures | null }) {
  return (
    <Tiles
      figures={names.map(([key, name, title]) => {
        const change = before && grown(figures[key], before[key]);
        const note = before && `${change === null ? '' : `${change} `}from ${count(before[key])}`;
        return { name, title, value: count(figures[key]), note };
      })}
    />
  );
}
