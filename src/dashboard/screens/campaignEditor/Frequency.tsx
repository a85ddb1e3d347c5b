// How often one device shows the campaign.
import { Text, TextInput } from '@mantine/core';
import { duration } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { numberOf } from './draftInput.ts';
import { field, type CampaignForm } from './fields.ts';
import classes from './CampaignEditor.module.css';

const caps = {
  perSession: 'In one session',
  perDay: 'In one day of the device',
  total: 'Over all time',
} as const;

export function Frequency({ form }: { form: CampaignForm }) {
  const seconds = numberOf(form.getValues().frequency.cooldownSeconds);
  return (
    <Panel title="Frequency">
      <Text size="sm" c="dimmed" mb="xs">
        The most shows on one device. An empty field is no cap.
      </Text>
      <div className={classes.caps}>
        {Object.entries(caps).map(([name, label]) => (
          <TextInput
            key={name}
            {...field(form, `frequency.${name}`)}
            size="xs"
            label={label}
            placeholder="no cap"
            inputMode="numeric"
          />
        ))}
        <TextInput
          {...field(form, 'frequency.cooldownSeconds')}
          size="xs"
          label="Seconds between two shows"
          placeholder="no wait"
          inputMode="numeric"
          description={seconds !== null && seconds >= 60 ? `= ${duration(seconds)}` : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      </div>
    </Panel>
  );
}
