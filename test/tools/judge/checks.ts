// Checks a request as the service does, with the service's own code: openapi.yaml, "Order of checks".
import type { IncomingMessage } from 'node:http';
import type { PublicOperation } from '../../../src/http/publicContract.ts';
import { readBody, readEncoding } from '../../../src/http/requestBody.ts';
import { AppError, isAppError } from '../../../src/platform/errors.ts';
import { verifySignature } from '../../../src/platform/signature.ts';
import type { Recorded } from './recording.ts';

export interface Checked extends Pick<Recorded, 'json' | 'signature' | 'faults'> {
  /** Null when the service would serve the request. */
  refusal: AppError | null;
}

export interface ToCheck {
  request: IncomingMessage;
  operation: PublicOperation;
  bytes: Buffer;
  key: { public: string; secret: string };
  now: Date;
}

/** A body is read also after another refusal, because the rules need its events. */
export async function check(sent: ToCheck): Promise<Checked> {
  const { request, operation, key } = sent;
  const checked: Checked = { json: null, signature: 'none', faults: [], refusal: null };
  const refuse = (error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    checked.refusal ??= error;
    if (isAppError(error, 'validation_failed')) checked.faults = error.details.fields;
  };
  if (request.headers['x-api-key'] !== key.public) refuse(new AppError('application_not_found', undefined));
  if (operation.id === 'reportSessions') checked.signature = signatureState(sent, refuse);
  await readInto(checked, sent).catch(refuse);
  return checked;
}

function signatureState({ request, bytes, key, now }: ToCheck, refuse: (error: unknown) => void): Checked['signature'] {
  try {
    verifySignature({ headers: request.headers, body: bytes, key, required: true, now });
    return 'good';
  } catch (error) {
    refuse(error);
    return isAppError(error, 'not_authenticated') ? error.details.reason : 'none';
  }
}

async function readInto(checked: Checked, { request, operation, bytes }: ToCheck): Promise<void> {
  const { fields } = operation.readQuery(request.url!);
  if (fields.length > 0) throw new AppError('validation_failed', { fields });
  if (!operation.body) return;
  const encoding = readEncoding(request);
  await readBody(operation.body, {
    bytes,
    encoding,
    limiter: (work) => work(),
    assertAwaited: () => undefined,
    onValue: (value) => (checked.json = value),
  });
}
