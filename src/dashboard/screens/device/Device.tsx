// One device: who uses it, what it reported, and what happened on it.
import { Anchor, Stack, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { DeviceDocument, type DeviceQuery } from '../../../../generated/screens/device/graphql.ts';
import { exactNumbers } from '../../api/exactNumbers.ts';
import { Copy } from '../../parts/Copy.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { About } from './About.tsx';
import { AttributionData } from './AttributionData.tsx';
import classes from './Device.module.css';
import { Installs } from './Installs.tsx';
import { Properties } from './Properties.tsx';
import { Purchases } from './Purchases.tsx';
import { Timeline } from './Timeline.tsx';

export interface DevicePart {
  applicationId: string;
  timeZone: string;
  /** `Device.id`. */
  id: string;
}

export type SeenDevice = NonNullable<DeviceQuery['device']>;

export function Device() {
  const { applicationId, timeZone } = useApplication();
  const { id } = useSearch({ from: '/inside/apps/$applicationId/device' });
  return (
    <>
      <PageHead title="Device" about={`One device, as its uploads describe it. Times in ${timeZone}.`}>
        <Anchor component={Link} to={`/apps/${applicationId}/devices`} size="sm">
          All devices
        </Anchor>
      </PageHead>
      {id === undefined ? (
        <Empty title="Which device?">The address of this page names none. Choose one in the list of devices.</Empty>
      ) : (
        <One key={`${applicationId} ${id}`} applicationId={applicationId} timeZone={timeZone} id={id} />
      )}
    </>
  );
}

function One(part: DevicePart) {
  const { applicationId, id } = part;
  const [result, read] = useQuery({ query: DeviceDocument, variables: { applicationId, id }, context: exactNumbers });
  const pick = ({ device }: DeviceQuery): SeenDevice | 'none' => device ?? 'none';
  return (
    <Stack>
      <Copy value={id} label="the id of the device" block />
      <Loaded result={result} pick={pick} retry={() => read({ requestPolicy: 'network-only' })} lines={8}>
        {(device) => (device === 'none' ? <Unknown /> : <Known {...part} device={device} />)}
      </Loaded>
    </Stack>
  );
}

function Unknown() {
  return (
    <Empty title="Nothing of this device has arrived">
      Upper and lower case are different in the id of a device.
      <Text size="sm">A device that sends its first upload appears within seconds.</Text>
    </Empty>
  );
}

function Known({ device, ...part }: DevicePart & { device: SeenDevice }) {
  return (
    <>
      <About {...part} device={device} />
      <div className={classes.columns}>
        <Timeline {...part} userId={device.userId} />
        <Stack>
          <Properties {...part} title="Device properties" values={device.properties} none="No session has arrived." />
          <Properties {...part} title="User properties" values={device.userProperties} none="The app has set none." />
          <AttributionData {...part} attribution={device.attribution} />
        </Stack>
      </div>
      <Installs {...part} installs={device.installs} />
      <Purchases {...part} />
    </>
  );
}
