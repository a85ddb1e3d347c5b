// What the team reads of a campaign, and which of several campaigns goes first.
import { Stack, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../parts/Panel.tsx';
import { field, type CampaignForm } from './fields.ts';
import classes from './CampaignEditor.module.css';

export function General({ form }: { form: CampaignForm }) {
  return (
    <Panel title="Campaign">
      <Stack gap="sm">
        <TextInput {...field(form, 'name')} size="xs" label="Name" description="Devices get it too." withAsterisk />
        <Textarea {...field(form, 'description')} size="xs" label="Notes" description="For the team alone." rows={2} />
        <TextInput
          {...field(form, 'priority')}
          size="xs"
          className={classes.short}
          label="Priority"
          description="0 to 1000. Of several campaigns for one event the highest runs."
          inputMode="numeric"
        />
      </Stack>
    </Panel>
  );
}
