// A time of the device with the clock that it is by: the device's and the service's may differ.
import { Text } from '@mantine/core';

export function ClockTime({ at, clock }: { at: string; clock: string }) {
  return (
    <>
      {at}
      <Text size="xs" c="dimmed">
        {clock}
      </Text>
    </>
  );
}
