// The questions of the bench for lists: of devices, names and the newest events.
import { readDevices } from '../../../src/analytics/devices.ts';
import { readEventNames } from '../../../src/analytics/eventNames.ts';
import { mostNewest } from '../../../src/analytics/reads/newestEvents.ts';
import { readPropertyNames } from '../../../src/analytics/propertyNames.ts';
import { readRecentEvents } from '../../../src/analytics/recentEvents.ts';
import type { Case } from './cases.ts';

const page = { limit: 50, after: null };

export function listCases(about: { applicationId: string; includeTest: boolean }, now: Date): Case[] {
  const names = { ...about, ...page, now, newest: mostNewest, search: null };
  const devices = { ...about, ...page, userId: null, search: null, filters: [], activeSince: null } as const;
  const ofPlan = { scope: 'USER', property: 'plan', op: 'EQ', value: 'pro' } as const;
  const ofVersion = { scope: 'DEVICE', property: 'appVersion', op: 'GTE', value: 1_000_002 } as const;
  return [
    { name: 'devices', bound: 100, ask: (on) => readDevices(on, { ...devices, sort: 'LAST_SEEN' }) },
    {
      name: 'devices, search',
      bound: 100,
      ask: (on) => readDevices(on, { ...devices, sort: 'LAST_SEEN', search: '4321' }),
    },
    {
      name: 'devices, two filters',
      bound: 100,
      ask: (on) => readDevices(on, { ...devices, sort: 'FIRST_SEEN', filters: [ofPlan, ofVersion] }),
    },
    { name: 'devices, most sessions', bound: 100, ask: (on) => readDevices(on, { ...devices, sort: 'SESSIONS' }) },
    { name: 'eventNames', bound: 150, ask: (on) => readEventNames(on, names) },
    { name: 'eventNames, search', bound: 150, ask: (on) => readEventNames(on, { ...names, search: 'event 1' }) },
    {
      name: 'propertyNames of events',
      bound: null,
      ask: (on) => readPropertyNames(on, { ...names, scope: 'EVENT' }),
    },
    {
      name: 'propertyNames of users',
      bound: null,
      ask: (on) => readPropertyNames(on, { ...names, scope: 'USER' }),
    },
    { name: 'recentEvents', bound: null, ask: (on) => readRecentEvents(on, { ...about, ...page, filters: [] }, 1e6) },
    {
      name: 'recentEvents, filter',
      bound: null,
      ask: (on) => readRecentEvents(on, { ...about, ...page, filters: [ofPlan] }, 1e6),
    },
  ];
}
