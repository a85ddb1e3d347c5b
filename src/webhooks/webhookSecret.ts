// The secret of a webhook, and the signature of an event under it (Standard Webhooks 1.0.0).
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** 256 random bits in the form of the standard. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** `id` is the same at each attempt, so that a receiver recognizes an event that it has had. */
export function signedEventHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'campaign-analytics-backend',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
