// The form of a webhook: its URL, its events, whether it is on, and a new secret on demand.
import { Checkbox, Radio, Stack, Switch, TextInput } from '@mantine/core';
import { z } from 'zod';
import type { WebhookEvent } from '../../../../generated/screens/enums.ts';
import { WebhookSaveDocument } from '../../../../generated/screens/webhooks/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import type { Webhook } from './Webhooks.tsx';
import { eventNames } from './words.ts';

const schema = z
  .object({
    url: z.string().trim().min(1, 'Enter the URL.').max(2_048, 'At most 2,048 characters.'),
    which: z.enum(['all', 'chosen']),
    events: z.array(z.custom<WebhookEvent>()),
    enabled: z.boolean(),
    rotateSecret: z.boolean(),
  })
  .refine(({ which, events }) => which === 'all' || events.length > 0, {
    path: ['events'],
    message: 'Choose at least one event.',
  });

interface WebhookFormProps {
  applicationId: string;
  webhook: Webhook | null;
  done: (secret: string | null) => void;
}

export function WebhookForm({ applicationId, webhook, done }: WebhookFormProps) {
  const { form, submit, sending, error } = useApiForm({
    initial: {
      url: webhook?.url ?? '',
      which: !webhook?.events ? ('all' as const) : ('chosen' as const),
      events: webhook?.events ?? [],
      enabled: webhook?.enabled ?? true,
      rotateSecret: false,
    },
    schema,
    document: WebhookSaveDocument,
    changes: ['Webhook'],
    variables: ({ url, which, events, enabled, rotateSecret }) => ({
      input: {
        ...(webhook ? { id: webhook.id, enabled, rotateSecret } : { applicationId }),
        url: url.trim(),
        events: which === 'all' ? null : events,
      },
    }),
    done: ({ webhookEdit }) => done(webhookEdit.secret),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="URL"
          description="Begins with https:// and is reached from the public internet"
          type="url"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <Radio.Group label="Events" {...form.getInputProps('which')}>
          <Stack gap={6} mt={6}>
            <Radio value="all" label="All events, later ones too" />
            <Radio value="chosen" label="These events:" />
          </Stack>
        </Radio.Group>
        {form.getValues().which === 'chosen' && (
          <Checkbox.Group aria-label="Chosen events" pl="lg" {...form.getInputProps('events')}>
            <Stack gap={6}>
              {Object.entries(eventNames).map(([value, label]) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {webhook && (
          <>
            <Switch
              label="On"
              description="Off: it gets no event, and what waits for it is given up."
              {...form.getInputProps('enabled', { type: 'checkbox' })}
            />
            <Checkbox
              label="Make a new secret"
              description="From then on the new one alone signs, retries too."
              {...form.getInputProps('rotateSecret', { type: 'checkbox' })}
            />
          </>
        )}
        <FormFoot error={error} sending={sending} label={webhook ? 'Save' : 'Create the webhook'} />
      </Stack>
    </form>
  );
}
