// Makes the refusals that a scene asks for, in the form in which the service sends them.
import { AppError, type FieldError } from '../../../src/platform/errors.ts';
import type { SessionReport } from './recording.ts';
import type { Act } from './scenes.ts';

const message = 'is refused by the scripted server';

/** Null for an act that is no refusal with status 403, 404, 413 or 422. */
export function refusalOf(act: Act, body: unknown, now: Date): AppError | null {
  const serverTime = Math.floor(now.getTime() / 1_000);
  if (act.kind === 'nonceReused') return new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  if (act.kind === 'unknownKey') return new AppError('application_not_found', undefined);
  if (act.kind === 'tooLarge') return new AppError('too_large', { unit: 'bytes', limit: 2_097_152 });
  if (act.kind !== 'refuse') return null;
  return new AppError('validation_failed', { fields: refusedFields(act.what, body) });
}

type Refused = Extract<Act, { kind: 'refuse' }>['what'];

function refusedFields(what: Refused, body: unknown): FieldError[] {
  if (what === 'device') return [{ path: 'device.properties.deviceModel', message }];
  if (what === 'transaction') return [{ path: 'transactions[0].id', message }];
  if (what === 'property') return [{ path: 'user.properties[0].value', message }];
  const event = pathOfOneEvent(body as SessionReport);
  if (what === 'event') return [{ path: `${event}.name`, message }];
  return Array.from({ length: 100 }, (_, index) => ({ path: `${event}.params[${index}].value`, message }));
}

/** A custom event, because the loss of a system event would break other rules. */
function pathOfOneEvent({ sessions }: SessionReport): string {
  for (const [index, { events = [] }] of sessions.entries()) {
    const found = events.findLastIndex(({ type }) => type === 'custom');
    if (found >= 0) return `sessions[${index}].events[${found}]`;
  }
  return 'sessions[0].events[0]';
}
