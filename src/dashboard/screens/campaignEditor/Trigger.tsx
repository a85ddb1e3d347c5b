// The event that sets the campaign off, and conditions on its parameters.
import { Stack, Text } from '@mantine/core';
import { EventInput } from '../../parts/names/EventInput.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Conditions } from './Conditions.tsx';
import { sdkEvents, typeOf } from './draftInput.ts';
import { change, errorAt, type CampaignForm } from './fields.ts';
import classes from './CampaignEditor.module.css';

interface TriggerProps {
  form: CampaignForm;
  applicationId: string;
}

export function Trigger({ form, applicationId }: TriggerProps) {
  const { event, filters } = form.getValues().trigger;
  const type = typeOf(event);
  const error = errorAt(form, 'trigger.event') ?? errorAt(form, 'trigger.type') ?? form.errors['trigger'];
  return (
    <Panel title="Trigger">
      <Stack gap="sm">
        <div className={classes.event}>
          <EventInput
            applicationId={applicationId}
            label="Event"
            value={{ name: event, type }}
            change={({ name }) => change(form, 'trigger.event', { to: name, about: 'trigger.event' })}
            error={error as string | undefined}
            known={sdkEvents}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {event === ''
              ? 'Choose an event that has arrived, or type a name exactly as the app tracks it.'
              : type === 'SYSTEM'
                ? 'The SDK itself records this event.'
                : 'The app records this event.'}
          </Text>
        </div>
        <div>
          <Text size="xs" fw={600}>
            Conditions on its parameters
          </Text>
          <Text size="xs" c="dimmed" mb={filters.length > 0 ? 4 : 6}>
            All must hold. Without conditions every such event counts.
          </Text>
          <Conditions
            form={form}
            applicationId={applicationId}
            path="trigger.filters"
            list={filters}
            scope="EVENT"
            most={50}
          />
        </div>
      </Stack>
    </Panel>
  );
}
