// The JSON that devices get of the campaign.
import { Code, CopyButton, Button, Text } from '@mantine/core';
import { Panel } from '../../parts/Panel.tsx';
import classes from './Campaign.module.css';
import { deliveredCampaign } from './delivered.ts';
import type { SeenCampaign } from './words.ts';

export function Delivered({ campaign }: { campaign: SeenCampaign }) {
  const delivered = deliveredCampaign(campaign);
  if (delivered === null)
    return (
      <Panel title="As devices get it">
        <Text size="sm" c="dimmed">
          Devices get the campaign once it has a trigger and an action.
        </Text>
      </Panel>
    );
  const text = JSON.stringify(delivered, null, 2);
  const now = campaign.state === 'ACTIVE' || campaign.state === 'SCHEDULED';
  return (
    <Panel
      title="As devices get it"
      actions={
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy} aria-label="Copy the JSON">
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        {now
          ? 'One entry of GET /api/v1/campaigns, for devices that platform, versions and country reach.'
          : 'Devices do not get it in its state. They would get this.'}
      </Text>
      <Code block className={classes.json} tabIndex={0} role="region" aria-label="JSON as devices get it">
        {text}
      </Code>
    </Panel>
  );
}
