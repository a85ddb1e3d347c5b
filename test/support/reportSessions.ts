// Shared by the tests of reportSessions: sends one upload, and reads the stored rows.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { unpackId } from '../../src/sessions/upload.ts';
import type { ContractResponse } from './contractClient.ts';
import type { TestService } from './testService.ts';
import type { SessionReport } from './uploads.ts';

export const ok = { status: 200, body: {} };

/** Sends with the key of the service's own application, unless `headers` contain another. */
export function sendReport(
  { client, application }: TestService,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ContractResponse> {
  return client.send('reportSessions', { 'X-Api-Key': application.key.public, ...headers }, body);
}

/** The rows of the report's device; its events are in order of time and have their ids as sent. */
export async function storedRows(
  { database, application }: TestService,
  report: Pick<SessionReport, 'device'>,
  applicationId = application.id,
) {
  const key = deviceKey(applicationId, report.device.id);
  const { prisma } = database;
  const device = await prisma.device.findUnique({ where: { key } });
  const sessions = await prisma.session.findMany({ where: { deviceKey: key }, orderBy: { id: 'asc' } });
  const events = await prisma.event.findMany({ where: { deviceKey: key }, orderBy: { occurredAt: 'asc' } });
  return { device, sessions, events: events.map((event) => ({ ...event, id: unpackId(event.id) })) };
}

export async function countsOf({ database }: TestService, campaignId: string): Promise<Record<string, number>> {
  const rows = await database.prisma.campaignCount.findMany({ where: { campaignId } });
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, Number(count)]));
}

/** The paths of a 422, sorted. */
export function pathsOf(response: { body: unknown }): string[] {
  return (response.body as { fields: { path: string }[] }).fields.map(({ path }) => path).sort();
}
