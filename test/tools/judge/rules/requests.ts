// The rules of docs/sdk/rules.md, "Requests and signature".
import { header, type Recording } from '../recording.ts';
import { faultIf, findingOf, notSeen, type Part, type Rule } from './rule.ts';
import { uploadsOf } from './uploads.ts';

const routed = ({ requests }: Recording) => requests.filter(({ operation }) => operation !== null);
const sessionUploads = ({ requests }: Recording) =>
  requests.filter(({ operation, signature }) => operation === 'reportSessions' && signature !== 'none');

const apiKeyOnEveryRequest: Rule = (recording) => {
  const { publicKey, secretKey, requests } = recording;
  const hasSecret = requests.map((request) => {
    const text = `${request.target} ${JSON.stringify(request.headers)} ${JSON.stringify(request.json)}`;
    return faultIf(text.includes(secretKey), request, 'The request carries the secret key.');
  });
  const keys = routed(recording).map((request) =>
    faultIf(header(request, 'x-api-key') !== publicKey, request, 'X-Api-Key is not the public key.'),
  );
  return findingOf([...hasSecret, ...keys]);
};

const signEveryUpload: Rule = (recording) =>
  findingOf(
    sessionUploads(recording).map((request) => {
      const bad = request.signature === 'signature_missing' || request.signature === 'signature_malformed';
      return faultIf(bad, request, `The response is 403 ${request.signature}.`);
    }),
  );

const signBytesAsSent: Rule = (recording) =>
  findingOf(
    sessionUploads(recording)
      .filter(({ signature }) => signature !== 'signature_missing' && signature !== 'signature_malformed')
      .map((request) =>
        faultIf(
          request.signature === 'signature_mismatch',
          request,
          'The signature is not that of the bytes that arrived under the secret key of the judge.',
        ),
      ),
  );

const newNonceForAnotherBody: Rule = (recording) => {
  const bodies = new Map<string, string>();
  return findingOf(
    sessionUploads(recording).map((request) => {
      const nonce = header(request, 'x-nonce') ?? '';
      const before = bodies.get(nonce);
      bodies.set(nonce, request.body);
      const isReused = before !== undefined && before !== request.body;
      return faultIf(isReused, request, `The nonce ${nonce} came before with another body.`);
    }),
  );
};

const validBody: Rule = (recording) =>
  findingOf(
    routed(recording).map((request) => {
      const [first] = request.faults;
      const problem = first ? `"${first.path}" ${first.message}.` : 'The response is 415.';
      const part = first && partAt(first.path, request.json);
      return faultIf(first !== undefined || request.response.status === 415, request, problem, part);
    }),
  );

/** The value at this path, or of the nearest part above it where a member is missing. */
function partAt(path: string, json: unknown): Part | undefined {
  let found: Part = { path: '', value: json };
  for (const [key] of path.matchAll(/\["[^"]*"\]|\[\d+\]|[^.[]+/g)) {
    const name = key.startsWith('[') ? String(JSON.parse(key.slice(1, -1))) : key;
    const value = (found.value as Record<string, unknown> | null)?.[name];
    if (value === undefined) break;
    found = { path: found.path + (key.startsWith('[') || found.path === '' ? key : `.${key}`), value };
  }
  return found.path === '' ? undefined : found;
}

const oneUploadAtATime: Rule = (recording) => {
  const uploads = sessionUploads(recording);
  return findingOf(
    uploads.slice(1).map((request, index) => {
      const before = uploads[index]!;
      const problem = `Request ${before.index} had no response yet.`;
      return faultIf(request.arrivedAt < before.endedAt, request, problem);
    }),
  );
};

/** Judged from ten uploads on: a short session may have one event. */
const batchEvents: Rule = (recording) => {
  const counts = new Map<string, { request: (typeof uploads)[number]['request']; events: number }>();
  const uploads = uploadsOf(recording);
  for (const { nonce, request, events } of uploads) {
    const custom = events.filter(({ event }) => event.type === 'custom').length;
    if (custom > 0) counts.set(nonce, { request, events: custom });
  }
  if (counts.size < 10) return notSeen;
  const single = [...counts.values()].filter(({ events }) => events === 1);
  const problem = `${single.length} of ${counts.size} uploads bring one custom event each.`;
  return findingOf([single.length > 0.8 * counts.size ? { request: single[0]!.request, problem } : null]);
};

export const requestRules = {
  'api-key-on-every-request': apiKeyOnEveryRequest,
  'sign-every-upload': signEveryUpload,
  'sign-bytes-as-sent': signBytesAsSent,
  'new-nonce-for-another-body': newNonceForAnotherBody,
  'valid-body': validBody,
  'one-upload-at-a-time': oneUploadAtATime,
  'batch-events': batchEvents,
};
