// Whether the device is one of the application's test devices; admins change it and keep the others.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { MarkTestDevicesDocument, TestDevicesDocument } from '../../../../generated/screens/device/graphql.ts';
import { apiErrorOf, type ApiError } from '../../api/apiError.ts';
import { Allowed } from '../../parts/access.tsx';
import { ErrorState, Loaded } from '../../parts/states.tsx';

interface TestDeviceProps {
  applicationId: string;
  id: string;
}

export function TestDevice({ applicationId, id }: TestDeviceProps) {
  const [result, read] = useQuery({ query: TestDevicesDocument });
  return (
    <Loaded
      result={result}
      pick={(data) => data.applications.find((application) => application.id === applicationId)?.testDevices}
      retry={() => read({ requestPolicy: 'network-only' })}
      lines={1}
    >
      {(testDevices) => <Mark applicationId={applicationId} id={id} isTest={testDevices.includes(id)} />}
    </Loaded>
  );
}

function Mark({ applicationId, id, isTest }: TestDeviceProps & { isTest: boolean }) {
  const { change, changing, error } = useMark(applicationId, id);
  return (
    <>
      <Group gap="xs">
        <span>{isTest ? 'Yes' : 'No'}</span>
        <Allowed least="admin" what="mark test devices">
          <Button size="compact-xs" variant="default" loading={changing} onClick={() => void change(!isTest)}>
            {isTest ? 'Unmark' : 'Mark as a test device'}
          </Button>
        </Allowed>
      </Group>
      <Text size="xs" c="dimmed">
        {isTest
          ? 'What it does stays out of all reports, unless they show test devices.'
          : 'What a test device does stays out of the reports.'}
      </Text>
      {error && <ErrorState error={error} />}
    </>
  );
}

/** Reads the list anew before each change, so that what a colleague has marked meanwhile stays. */
function useMark(applicationId: string, id: string) {
  const client = useClient();
  const [{ fetching }, send] = useMutation(MarkTestDevicesDocument);
  const [error, setError] = useState<ApiError | null>(null);
  const change = async (test: boolean): Promise<void> => {
    const now = await client.query(TestDevicesDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    const others = now.data?.applications
      .find((application) => application.id === applicationId)
      ?.testDevices.filter((other) => other !== id);
    if (!others) {
      setError(apiErrorOf(now.error));
      return;
    }
    const result = await send({ applicationId, testDevices: test ? [...others, id] : others });
    setError(apiErrorOf(result.error));
  };
  return { change, changing: fetching, error };
}
