// The first minutes of an application: its key, a command that sends an event, and the moment at which it arrives.
import { Anchor, List, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Allowed } from '../../parts/access.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { Arrival } from './Arrival.tsx';
import { Send } from './Send.tsx';

export function FirstRun() {
  const { applicationId, application } = useApplication();
  if (!application) return <Empty title="Not found">The application may have been deleted.</Empty>;
  return (
    <>
      <PageHead title="First event" about={`From a key to the first event of ${application.name}.`} />
      {/* Another application begins anew: nothing of the one before stays on the page. */}
      <Stack key={applicationId}>
        <Panel title="1. Send an event">
          <Allowed least="admin" what="read the keys of an application">
            <Send />
          </Allowed>
        </Panel>
        <Panel title="2. See it arrive">
          <Arrival />
        </Panel>
        <Panel title="3. Build it into your app">
          <List size="sm" spacing={4}>
            <List.Item>
              The API of the SDKs is one file, openapi.yaml of the service: generate your client from it. Your
              operator’s documentation page shows it with samples.
            </List.Item>
            <List.Item>
              The SDK carries a pair of keys: <To screen="keys" label="Keys" /> has them, and says how to replace them.
            </List.Item>
            <List.Item>
              <To screen="live" label="Live" /> shows what arrives, and which uploads are refused and why.
            </List.Item>
            <List.Item>
              Devices of testers belong into the <To screen="settings" label="Settings" />: reports leave them out.
            </List.Item>
          </List>
        </Panel>
      </Stack>
    </>
  );
}

function To({ screen, label }: { screen: string; label: string }) {
  const { applicationId } = useApplication();
  return (
    <Anchor component={Link} to={`/apps/${applicationId}/${screen}`} size="sm" underline="always">
      {label}
    </Anchor>
  );
}
