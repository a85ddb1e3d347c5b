// Reads the input of webhookEdit.
import type { WebhookEditInput } from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { inputRules } from '../platform/inputRules.ts';
import type { WebhookEventName } from './webhookEvent.ts';
import { faultOfUrl, type UrlRules } from './webhookUrl.ts';

/** An absent field stays unchanged. */
export interface WebhookChange {
  applicationId?: string | undefined;
  url?: string | undefined;
  /** Null: all events. */
  events?: WebhookEventName[] | null | undefined;
  enabled?: boolean | undefined;
  rotateSecret: boolean;
}

type Fields = Record<'id' | 'applicationId' | 'url' | 'events' | 'enabled' | 'rotateSecret', true>;

/** Throws `validation_failed`. */
export function readWebhookInput(input: EveryField<WebhookEditInput, Fields>, urlRules: UrlRules): WebhookChange {
  const { id, applicationId, url, events, enabled, rotateSecret } = input;
  const rules = inputRules();
  const given = <Value>(path: string, value: Value | null | undefined, required: boolean): Value | undefined => {
    if (value === null) rules.refuse(path, 'must not be null');
    else if (value === undefined && required) rules.refuse(path, 'is required');
    return value ?? undefined;
  };
  const change = {
    applicationId: given('input.applicationId', applicationId, !id),
    url: given('input.url', url, !id),
    events: events && [...new Set(events)].sort(),
    enabled: given('input.enabled', enabled, false),
    rotateSecret: rotateSecret ?? false,
  };
  if (change.url !== undefined) {
    rules.text('input.url', change.url, 2_048);
    // A URL's parser drops or encodes white space, so the stored text would differ from the URL in use.
    const fault = /\s/.test(change.url) ? 'must have no white space' : faultOfUrl(change.url, urlRules);
    if (fault !== null) rules.refuse('input.url', fault);
  }
  if (events?.length === 0) rules.refuse('input.events', 'must not be empty');
  rules.assert();
  return change;
}
