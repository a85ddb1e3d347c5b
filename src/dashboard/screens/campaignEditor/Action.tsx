// What the app does: a word that it understands, and data that the service passes on as it is.
import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { change, errorAt, field, type CampaignForm } from './fields.ts';
import { formatted, largestPayload, payloadOf } from './payload.ts';
import classes from './CampaignEditor.module.css';

export function Action({ form }: { form: CampaignForm }) {
  const { blocking } = form.getValues().action;
  return (
    <Panel title="Action">
      <Stack gap="sm">
        <TextInput
          {...field(form, 'action.type')}
          error={errorAt(form, 'action.type') ?? form.errors['action']}
          size="xs"
          className={classes.event}
          label="Kind"
          description="A word that the app understands, for example open_screen."
        />
        <Payload form={form} />
        <Checkbox
          {...form.getInputProps('action.blocking', { type: 'checkbox' })}
          size="xs"
          label="Blocking: the app reports the outcome, and no other blocking action runs meanwhile"
        />
        {blocking && (
          <TextInput
            {...field(form, 'action.deadlineSeconds')}
            size="xs"
            className={classes.short}
            label="Deadline in seconds"
            description="After it the outcome is “unavailable”."
            placeholder="the SDK’s default"
            inputMode="numeric"
          />
        )}
      </Stack>
    </Panel>
  );
}

function Payload({ form }: { form: CampaignForm }) {
  const text = form.getValues().action.payload;
  const { bytes, problem } = payloadOf(text);
  return (
    <div>
      <Textarea
        {...field(form, 'action.payload')}
        error={problem ?? errorAt(form, 'action.payload')}
        size="xs"
        label="Payload"
        description="Any JSON, or empty. The order of an object’s members is not kept."
        classNames={{ input: classes.code }}
        rows={Math.min(20, Math.max(6, text.split('\n').length + 1))}
        spellCheck={false}
        resize="vertical"
      />
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed" className="figure">
          {count(bytes)} of {count(largestPayload)} bytes
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          disabled={problem !== null || text.trim() === ''}
          onClick={() => change(form, 'action.payload', { to: formatted(text) })}
        >
          Format the JSON
        </Button>
      </Group>
    </div>
  );
}
