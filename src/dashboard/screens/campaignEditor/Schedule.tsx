// During which time the campaign runs: times of the application's zone, stored as instants.
import { Text, TextInput } from '@mantine/core';
import { time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { field, type CampaignForm } from './fields.ts';
import { instantOf } from './localTime.ts';
import classes from './CampaignEditor.module.css';

interface ScheduleProps {
  form: CampaignForm;
  timeZone: string;
}

export function Schedule({ form, timeZone }: ScheduleProps) {
  return (
    <Panel title="Schedule">
      <Text size="sm" c="dimmed" mb="xs">
        Times in {timeZone}. A scheduled campaign starts and ends by itself; an empty field leaves it to you.
      </Text>
      <div className={classes.caps}>
        <Moment form={form} path="schedule.startAt" label="Start" timeZone={timeZone} />
        <Moment form={form} path="schedule.endAt" label="End" timeZone={timeZone} />
      </div>
    </Panel>
  );
}

function Moment({ form, path, label, timeZone }: ScheduleProps & { path: string; label: string }) {
  const props = field(form, path);
  const instant = instantOf(String(props.value), timeZone)?.instant;
  return (
    <TextInput
      {...props}
      size="xs"
      type="datetime-local"
      max="9999-12-31T23:59"
      label={`${label} (${timeZone})`}
      description={instant === undefined || timeZone === 'UTC' ? undefined : `= ${time(instant, 'UTC')} UTC`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}
