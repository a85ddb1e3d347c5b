// The rules of a refused batch: nothing of it is stored, and its rest is accepted: openapi.yaml, "Take out what a 422 names".
import { aDevice, anEvent, aReport, aSession, json } from '../../support/uploads.ts';
import { expectResponse, type Rule } from './rule.ts';
import type { ServiceUnderTest } from './service.ts';

type Fields = { fields: { path: string }[] };

const bad = () => anEvent({ name: ' ' });

async function refusedPaths(service: ServiceUnderTest, report: ReturnType<typeof aReport>): Promise<string[]> {
  const response = await service.session(json(report));
  expectResponse(response, 422, { error: 'validation_failed' });
  return (response.body as Fields).fields.map(({ path }) => path);
}

const checks: Record<string, Rule['check']> = {
  'one bad event of a thousand is named, and the others are accepted without it': async (service) => {
    const events = Array.from({ length: 1_000 }, (_, index) => (index === 400 ? bad() : anEvent()));
    const device = aDevice();
    const session = aSession({ events });
    const paths = await refusedPaths(service, aReport({ device, sessions: [session] }));
    if (paths.join() !== 'sessions[0].events[400].name') throw new Error(`fields are ${paths.join(', ')}`);
    const rest = { ...session, events: events.filter((_, index) => index !== 400) };
    expectResponse(await service.session(json(aReport({ device, sessions: [rest] }))), 200);
  },
  'of 130 bad events 100 are named, and the list of the rest names 30': async (service) => {
    const session = aSession({ events: Array.from({ length: 130 }, bad) });
    const named = await refusedPaths(service, aReport({ sessions: [session] }));
    const gone = new Set(named.map((path) => Number(/events\[(\d+)\]/.exec(path)?.[1])));
    const rest = { ...session, events: session.events!.filter((_, index) => !gone.has(index)) };
    const others = await refusedPaths(service, aReport({ sessions: [rest] }));
    if (gone.size !== 100 || others.length !== 30) throw new Error(`${gone.size} and ${others.length} are named`);
  },
  'a payload of an attribution may have 65,536 bytes, and a longer one is named': async (service) => {
    const report = (length: number) => {
      const attribution = { provider_a: { p: 'x'.repeat(length - '{"p":""}'.length) } };
      return json({ device: { id: 'conformance' }, system: { os_version: '14' }, attribution });
    };
    expectResponse(await service.call('reportAttribution', { body: report(65_536) }), 200);
    const response = await service.call('reportAttribution', { body: report(65_537) });
    expectResponse(response, 422, { error: 'validation_failed' });
    const paths = (response.body as Fields).fields.map(({ path }) => path).join();
    if (paths !== 'attribution.provider_a') throw new Error(`fields are ${paths}`);
  },
};

export const refusalRules: Rule[] = Object.entries(checks).map(([name, check]) => ({ group: 'refusals', name, check }));
