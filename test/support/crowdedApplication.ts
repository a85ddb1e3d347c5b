// Fills the test application with what is hardest to show: ten thousand campaigns, names of 256 characters, right-to-left text.
import type { TestService } from './testService.ts';
import { aDevice, anEvent, aReport, aSession } from './uploads.ts';

/** As long as the API takes names and ids. */
const most = 256;
const filled = (text: string): string => text.repeat(most).slice(0, most - 1) + '.';

/** Texts that apps send as they like: without a space, with spaces, right to left, with markup and quotes. */
export const hardTexts = {
  solid: 'W'.repeat(most),
  spaced: filled('Level completed with a bonus '),
  rightToLeft: filled('اكتمل المستوى الأول '),
  mixed: filled('مرحلة 7 of 10 (شراء) '),
  markup: filled(`<b>"quoted"</b> & 'single' \\ / `),
  emoji: '🎁'.repeat(most / 2),
} as const;

export const campaignsInAll = 10_000;

/** Campaigns in every state, the newest of which have the hard texts as their names, notes, triggers and actions. */
async function storeCampaigns({ database, application }: TestService): Promise<void> {
  await database.pool.query(
    `INSERT INTO campaigns (id, application_id, name, description, state, priority, trigger, action, start_at, end_at,
       created_at, updated_at, created_by, updated_by)
     SELECT gen_random_uuid(), $1, left(i || ' ' || text, 256), text, state::campaign_state, i % 1001,
       jsonb_build_object('event', text, 'type', 'CUSTOM', 'filters', '[]'::jsonb),
       jsonb_build_object('type', text, 'payload', jsonb_build_object('text', text), 'blocking', false),
       '2026-01-01T00:00:00Z', '2036-01-01T00:00:00Z', at, at, $4, $4
     FROM generate_series(1, $2) AS i,
       LATERAL (SELECT ($3::text[])[1 + i % cardinality($3::text[])] AS text) AS given,
       LATERAL (SELECT (ARRAY['DRAFT', 'SCHEDULED', 'PAUSED', 'FINISHED', 'ACTIVE', 'ARCHIVED'])[1 + i % 97 % 6] AS state) AS states,
       LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + i * interval '1 s' AS at) AS times`,
    [application.id, campaignsInAll, Object.values(hardTexts), `${'a'.repeat(64)}@${'b'.repeat(63)}.example.com`],
  );
}

/** One device, one user, one event and one property for each hard text. */
async function sendReports({ client, application }: TestService): Promise<void> {
  const now = new Date();
  for (const text of Object.values(hardTexts)) {
    const params = [{ name: text, value: text }];
    const events = [anEvent({ name: text, params, timestamp: now.getTime() / 1_000, date: now.toISOString() })];
    const sessions = [aSession({ startDate: now.toISOString(), events })];
    const user = { id: text, properties: params };
    const sent = await client.send(
      'reportSessions',
      { 'X-Api-Key': application.key.public },
      aReport({ user, device: aDevice(text), sessions }),
    );
    if (sent.status !== 200) throw new Error(`${sent.status} ${JSON.stringify(sent.body)}`);
  }
}

export async function crowdApplication(service: TestService): Promise<void> {
  await storeCampaigns(service);
  await sendReports(service);
  // Refused, so that the live view has a long message too.
  await service.client.send(
    'reportSessions',
    { 'X-Api-Key': service.application.key.public },
    aReport({ sessions: [aSession({ events: [anEvent({ name: `${hardTexts.solid}W` })] })] }),
  );
  const name = hardTexts.spaced;
  await service.database.prisma.application.update({ where: { id: service.application.id }, data: { name } });
}
