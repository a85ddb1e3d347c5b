// Waits for the first event and says when it is there; meanwhile it says why an upload was refused.
import { Alert, Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import {
  FirstEventDocument,
  FirstRefusalsDocument,
  type FirstEventQuery,
  type FirstRefusalsQuery,
} from '../../../../generated/screens/firstRun/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { messageOf } from '../../api/messages.ts';
import { time, today } from '../../parts/figures.ts';
import { ErrorState } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';

const everyMillis = 1_000;
const fresh = { requestPolicy: 'network-only' } as const;

export function Arrival() {
  const { applicationId, timeZone } = useApplication();
  const day = { from: today(timeZone, -1), to: today(timeZone) };
  const [events, readEvents] = useQuery({ query: FirstEventDocument, variables: { applicationId } });
  const [refusals, readRefusals] = useQuery({ query: FirstRefusalsDocument, variables: { applicationId, ...day } });
  const event = events.data?.recentEvents?.nodes[0];
  const refusal = refusals.data?.ingestIssues?.nodes[0];
  const error = apiErrorOf(events.error);
  useEffect(() => {
    if (event) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      readEvents(fresh);
      readRefusals(fresh);
    }, everyMillis);
    return () => clearInterval(timer);
  }, [event, readEvents, readRefusals]);
  // The copy of the events for reports is ready soon after the service's start: the page goes on waiting.
  const building = error?.extensions['reason'] === 'building';
  return (
    <Stack gap="sm">
      <div role="status">
        {event ? (
          <Arrived event={event} />
        ) : (
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{error && building ? messageOf(error) : 'Waiting for your first event …'}</Text>
          </Group>
        )}
      </div>
      {!event && error && !building && <ErrorState error={error} retry={() => readEvents(fresh)} />}
      {!event && refusal && <Refused refusal={refusal} />}
    </Stack>
  );
}

type Event = NonNullable<FirstEventQuery['recentEvents']>['nodes'][number];

function Arrived({ event: { name, deviceId, receivedAt } }: { event: Event }) {
  const { applicationId, timeZone } = useApplication();
  return (
    <Alert color="green" variant="light" title={<Text inherit lineClamp={2}>{`The event ${name} has arrived`}</Text>}>
      <Text size="sm">
        From the device {deviceId.length > 64 ? `${deviceId.slice(0, 64)}…` : deviceId},{' '}
        {time(receivedAt, timeZone, 'second')} ({timeZone}).{' '}
        <Anchor component={Link} to={`/apps/${applicationId}/live`} size="sm" underline="always">
          Watch the live view
        </Anchor>
      </Text>
    </Alert>
  );
}

type Refusal = NonNullable<FirstRefusalsQuery['ingestIssues']>['nodes'][number];

function Refused({ refusal: { status, reason, path, sampleMessage, lastAt } }: { refusal: Refusal }) {
  const { timeZone } = useApplication();
  return (
    <Alert color="red" variant="light" role="alert" title="An upload was refused">
      <Text size="sm">
        {time(lastAt, timeZone, 'second')} ({timeZone}): {status} {reason}
        {path === '' ? '' : `, at ${path}`}. {sampleMessage}
      </Text>
      {reason === 'signature_missing' && (
        <Text size="sm">This service takes signed uploads alone: sign the command above, and run it again.</Text>
      )}
    </Alert>
  );
}
