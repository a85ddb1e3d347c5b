// Compares the stored sessions, events and properties with the records of the devices: they must be exactly the same.
import type { ReadBack, StoredDevice } from './readBack.ts';
import type { Ledger, RecordedSession } from './simulation/ledger.ts';
import { recordedEvents } from './simulation/ledger.ts';

export interface Comparison {
  storedSessions: number;
  storedEvents: number;
  disagreements: { deviceId: string; problems: string[] }[];
}

export async function compareAll(ledgers: Ledger[], readBack: ReadBack): Promise<Comparison> {
  const comparison: Comparison = { storedSessions: 0, storedEvents: 0, disagreements: [] };
  for (const ledger of ledgers) {
    const stored = await readBack.storedDevice(ledger.deviceId);
    for (const { eventIds } of stored?.sessions.values() ?? []) {
      comparison.storedSessions += 1;
      comparison.storedEvents += eventIds.length;
    }
    const problems = [...new Set(ledger.problems), ...differences(ledger, stored)];
    if (problems.length > 0) comparison.disagreements.push({ deviceId: ledger.deviceId, problems });
  }
  return comparison;
}

/** Empty when both agree. */
export function differences(ledger: Ledger, stored: StoredDevice | null): string[] {
  if (!stored) return ['the service does not know the device'];
  const problems: string[] = [];
  const recorded = recordedEvents(ledger);
  if (ledger.acknowledgedEventIds.size !== recorded) {
    problems.push(`${recorded} events recorded, ${ledger.acknowledgedEventIds.size} acknowledged`);
  }
  const lost = [...ledger.badEventIds].filter((id) => !ledger.keptEventIds.has(id)).length;
  const good = [...ledger.keptEventIds].filter((id) => !ledger.badEventIds.has(id)).length;
  if (lost > 0) problems.push(`${lost} bad events are not kept on the device`);
  if (good > 0) problems.push(`${good} good events were taken out`);
  for (const [id, session] of ledger.sessions) problems.push(...sessionDifferences(id, session, stored));
  for (const id of stored.sessions.keys()) {
    if (!ledger.sessions.has(id)) problems.push(`session ${id} is stored and was never recorded`);
  }
  const [here, there] = [ledger.userProperties, stored.userProperties].map(sortedText);
  if (here !== there) problems.push(`user properties are ${here} on the device and ${there} in the service`);
  const reports = ledger.attribution === null ? 0 : 1;
  if (stored.attributionReports !== reports) {
    problems.push(`${stored.attributionReports} attribution reports are stored instead of ${reports}`);
  }
  return problems;
}

function sessionDifferences(id: string, { eventIds, finished }: RecordedSession, { sessions }: StoredDevice): string[] {
  const stored = sessions.get(id);
  if (!stored) return [`session ${id} is not stored`];
  const problems: string[] = [];
  const distinct = new Set(stored.eventIds);
  const missing = [...eventIds].filter((event) => !distinct.has(event)).length;
  const foreign = [...distinct].filter((event) => !eventIds.has(event)).length;
  if (missing > 0) problems.push(`session ${id} lacks ${missing} of ${eventIds.size} events`);
  if (foreign > 0) problems.push(`session ${id} has ${foreign} events that were not recorded`);
  if (distinct.size < stored.eventIds.length) problems.push(`session ${id} has events twice`);
  if (stored.finished !== finished)
    problems.push(`session ${id} is ${stored.finished ? '' : 'not '}finished in the service`);
  return problems;
}

function sortedText(properties: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...properties].sort(([one], [other]) => (one < other ? -1 : 1)));
}
