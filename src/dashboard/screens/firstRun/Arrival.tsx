// Waits for the first event and says when it is there; meanwhile it says why an upload was refused.
import { Alert, Group, Loader, Stack, Text } from '@mantine/core';
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
import { GivenText } from '../../parts/GivenText.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { useReread } from '../../parts/useReread.ts';
import { useApplication } from '../../shell/chosenApplication.ts';

const waiting = 'Waiting for your first event …';
const everyMillis = 1_000;
/** Once an event is there, later ones show that the next command has arrived too. */
const thenMillis = 5_000;

export function Arrival() {
  const { applicationId, timeZone } = useApplication();
  const day = { from: today(timeZone, -1), to: today(timeZone) };
  const [events, readEvents] = useQuery({ query: FirstEventDocument, variables: { applicationId } });
  const [refusals, readRefusals] = useQuery({ query: FirstRefusalsDocument, variables: { applicationId, ...day } });
  const event = events.data?.recentEvents?.nodes[0];
  const refusal = newestAfter(event, refusals.data);
  const error = apiErrorOf(events.error);
  const turnMillis = event ? thenMillis : everyMillis;
  useReread(events, readEvents, turnMillis);
  useReread(refusals, readRefusals, turnMillis);
  // The copy of the events for reports is ready soon after the service's start: the page goes on waiting.
  const isAnswered = events.data !== undefined || error !== null;
  const building = error?.extensions['reason'] === 'building';
  return (
    <Stack gap="sm">
      <div role="status">
        {event ? (
          <Arrived event={event} />
        ) : (
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">
              {building && error ? messageOf(error) : isAnswered ? waiting : 'Looking for events …'}
            </Text>
          </Group>
        )}
      </div>
      {!event && error && !building && (
        <ErrorState error={error} retry={() => readEvents({ requestPolicy: 'network-only' })} />
      )}
      {refusal && <Refused refusal={refusal} />}
    </Stack>
  );
}

type Event = NonNullable<FirstEventQuery['recentEvents']>['nodes'][number];

/** Older than the event: what was wrong has been put right. */
function newestAfter(event: Event | undefined, data: FirstRefusalsQuery | undefined): Refusal | undefined {
  const refusal = data?.ingestIssues?.nodes[0];
  const isLater = !event || !refusal || Date.parse(refusal.lastAt) > Date.parse(event.receivedAt);
  return isLater ? refusal : undefined;
}

const underlined = { underline: 'always' } as const;

function Arrived({ event: { name, deviceId, receivedAt } }: { event: Event }) {
  const { applicationId, timeZone } = useApplication();
  const title = (
    <Text inherit lineClamp={2}>
      The event <GivenText text={name} /> has arrived
    </Text>
  );
  return (
    <Alert color="green" variant="light" title={title}>
      <Text size="sm">
        From the device{' '}
        <TextLink to="/apps/$applicationId/device" params={{ applicationId }} search={{ id: deviceId }} {...underlined}>
          <GivenText text={deviceId} />
        </TextLink>
        , {time(receivedAt, timeZone, 'full')} ({timeZone}).{' '}
        <TextLink to="/apps/$applicationId/live" params={{ applicationId }} {...underlined}>
          Watch the live view
        </TextLink>
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
