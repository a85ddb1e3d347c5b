// Twelve variants of the reference SDK with one fault each, and the rule that catches each, with those that follow from it.
import { randomUUID } from 'node:crypto';
import type { SdkEnvironment } from '../../demo/sdk/environment.ts';
import type { SimulatedTime } from '../../demo/simulation/simulatedTime.ts';
import { changed, isUpload, readBody, withBody, type Fetch } from './rewriting.ts';

export interface Variant {
  fault: string;
  rule: string;
  /** The rules that the fault breaks as well: an event that a refusal has cost never arrives. */
  also?: string[];
  wrap(environment: SdkEnvironment, world: { time: SimulatedTime; secret: string }): SdkEnvironment;
}

function onResponse(change: (response: Response, url: string) => Promise<Response> | Response): Variant['wrap'] {
  return (environment) => ({
    ...environment,
    fetch: async (url, init) => change(await environment.fetch(url, init), url),
  });
}

function onRequest(change: (init: RequestInit, url: string) => RequestInit): Variant['wrap'] {
  return (environment) => ({ ...environment, fetch: (url, init) => environment.fetch(url, change(init, url)) });
}

/** Changes the body of each upload once: a retry with the same nonce has the same bytes. */
function onReport(change: (report: ReturnType<typeof readBody>) => void): Variant['wrap'] {
  return (environment, { secret }) => {
    const made = new Map<string, RequestInit>();
    const send: Fetch = (url, init) => {
      if (!isUpload(url)) return environment.fetch(url, init);
      const nonce = new Headers(init.headers).get('x-nonce')!;
      const report = readBody(init);
      if (!made.has(nonce)) {
        change(report);
        made.set(nonce, withBody(init, report, secret));
      }
      return environment.fetch(url, { ...init, ...pick(made.get(nonce)!) });
    };
    return { ...environment, fetch: send };
  };
}

function pick({ headers, body }: RequestInit): RequestInit {
  return { ...(headers && { headers }), ...(body && { body }) };
}

/** A refusal that names the whole batch, at which the SDK sets it aside. */
const everything = { status: 422, body: { fields: [{ path: '', message: 'made up' }] } };

/** It waits like an SDK that obeys, because the rules on waits are not its fault. */
function dropping(environment: SdkEnvironment, { time }: { time: SimulatedTime }): SdkEnvironment {
  let wait = { millis: 0, calls: 0 };
  const send: Fetch = async (url, init) => {
    const response = await environment.fetch(url, init);
    if (!isUpload(url) || response.status < 500) return response;
    wait = { millis: Math.max(30, Number(response.headers.get('retry-after'))) * 1_000, calls: 0 };
    return changed(response, everything);
  };
  const now = (): number => {
    wait.calls += 1;
    // The first call is for the time of the response.
    if (wait.calls === 2) time.advance(wait.millis);
    return environment.now();
  };
  return { ...environment, fetch: send, now };
}

const signing: Variant[] = [
  {
    fault: 'signs the JSON, then sends it written anew',
    rule: 'sign-bytes-as-sent',
    wrap: onRequest((init, url) => {
      if (!isUpload(url)) return init;
      const headers = new Headers(init.headers);
      const body = Buffer.from(JSON.stringify(readBody(init), null, 1));
      headers.delete('content-encoding');
      return { ...init, headers, body };
    }),
  },
  {
    fault: 'uses the nonce of the upload before for one upload in seven',
    rule: 'new-nonce-for-another-body',
    wrap: (environment) => {
      let [count, last] = [0, new Uint8Array()];
      const randomBytes = (size: number): Uint8Array => {
        count += 1;
        if (count % 7 !== 5) last = new Uint8Array(environment.randomBytes(size));
        return last;
      };
      return { ...environment, randomBytes };
    },
  },
  {
    fault: 'ignores the Date header',
    rule: 'clock-from-date-header',
    also: ['resign-once-on-wrong-clock'],
    wrap: (environment, { time }) =>
      onResponse((response) => changed(response, { headers: { Date: new Date(time.now).toUTCString() } }))(
        environment,
        {
          time,
          secret: '',
        },
      ),
  },
];

const retrying: Variant[] = [
  { fault: 'drops the batch on a 5xx', rule: 'retry-5xx', also: ['keep-until-2xx'], wrap: dropping },
  {
    fault: 'ignores Retry-After',
    rule: 'retry-after-obeyed',
    wrap: onResponse((response) => changed(response, { headers: { 'Retry-After': null } })),
  },
  {
    fault: 'begins the backoff again with each flush',
    rule: 'backoff-across-flushes',
    wrap: (environment) => {
      let [skew, failures] = [0, 0];
      const send: Fetch = async (url, init) => {
        const response = await environment.fetch(url, init);
        failures = response.status >= 500 ? failures + 1 : 0;
        return response;
      };
      // After the last attempt of a flush the wait is over at once.
      const uptime = (): number => environment.uptime() + (skew += failures >= 5 ? 1_000_000 : 0);
      return { ...environment, fetch: send, uptime };
    },
  },
  {
    fault: 'makes new event ids for each upload',
    rule: 'event-ids-unique',
    // Other ids are another body.
    also: ['sign-again-when-stale', 'resign-once-on-nonce-reused'],
    wrap: onReport(({ sessions }) => {
      for (const event of sessions.flatMap(({ events = [] }) => events)) event.id = randomUUID();
    }),
  },
];

const content: Variant[] = [
  {
    fault: 'drops the whole batch on a 413',
    rule: 'halve-on-413',
    also: ['keep-until-2xx'],
    wrap: onResponse((response) => (response.status === 413 ? changed(response, everything) : response)),
  },
  {
    fault: 'sets the whole batch aside on a 422 that names one event',
    rule: 'send-the-rest',
    also: ['keep-until-2xx'],
    wrap: onResponse(async (response) => {
      if (response.status !== 422) return response;
      const body = (await response.json()) as { fields: { path: string }[] };
      const namesEvents = body.fields.every(({ path }) => path.includes('.events['));
      return changed(response, namesEvents ? everything : { body });
    }),
  },
];

const state: Variant[] = [
  {
    fault: 'ignores X-Config-Revision',
    rule: 'fetch-config-on-revision',
    wrap: onResponse((response) => changed(response, { headers: { 'X-Config-Revision': null } })),
  },
  {
    fault: 'fetches without If-None-Match',
    rule: 'if-none-match',
    wrap: onRequest((init) => {
      const headers = new Headers(init.headers);
      headers.delete('if-none-match');
      return { ...init, headers };
    }),
  },
  {
    fault: 'sends a delta after a change of user',
    rule: 'whole-state-after-user-change',
    wrap: (environment, world) =>
      onReport(({ user }) => {
        if (user.id) user.lastSyncTS ??= Math.floor(world.time.now / 1_000) - 60;
      })(environment, world),
  },
];

export const variants: Variant[] = [...signing, ...retrying, ...content, ...state];
