// Stores a batch in one round trip when all nonces and sessions are new, as in most batches. The keys refuse other batches.
import type { LinedTransaction } from '../../platform/database/transactionLine.ts';
import { inKeyOrder, sessionKey, type SessionRow, type Upload } from '../upload.ts';
import {
  acceptedUploads,
  anchoredEvents,
  countIncrements,
  deviceRounds,
  devicesOf,
  distinctEvents,
  firstNonces,
  mergedSessions,
  outcomesOf,
} from './batchRows.ts';
import { addedByNew } from './addedBytes.ts';
import { logChange, type BatchChange } from './changesStore.ts';
import { copyEvents, eventRows } from './eventsStore.ts';
import {
  copyNonces,
  copySessions,
  drawSessionNumbers,
  newSessionRows,
  nonceRows,
  type NumberedSession,
} from './newUploadsStore.ts';
import type { DrawNumbers, TakeNumbers } from './sessionNumbers.ts';
import { shownCampaigns } from './shownCampaigns.ts';
import { addCampaignShows } from './showsStore.ts';
import type { StoredBatch } from './storeUploads.ts';
import { addCampaignCounts, deviceRows, mayOutgrow, upsertDevices, type SessionAnchor } from './uploadsStore.ts';

/**
 * Resolves after COMMIT. Rejects when a nonce or a session is stored already. Resolves to `large`, and sends nothing,
 * when the stored properties of a device must be checked. The order of the statements is that of `storeUploads`.
 */
export async function storeNewUploads(
  transaction: LinedTransaction,
  uploads: Upload[],
  take: TakeNumbers,
): Promise<StoredBatch | 'large'> {
  const first = firstNonces(uploads);
  const nonces = inKeyOrder(first);
  const { outcomes, accepted, sessions: sent } = acceptedUploads(uploads, outcomesOf(uploads, first, new Map()));
  const events = distinctEvents(accepted, sent[0]!.length);
  const rounds = deviceRounds(accepted, events);
  if (rounds.some(({ devices }) => mayOutgrow(devices))) return 'large';
  const increments = countIncrements(events);
  const draw: DrawNumbers = (count) => transaction.pipelined((pipeline) => drawSessionNumbers(pipeline, count));
  const { refs, receivedAt } = await take(sent[0]!.length, draw);
  const sessions = mergedSessions(sent, receivedAt);
  const anchors = anchorsOf(sessions, refs, receivedAt);
  const anchored = anchoredEvents(events, anchors);
  const shows = shownCampaigns(events, increments, anchors);
  const isCounted = accepted.some(({ counted }) => counted);
  const numbered = sessions.map((session, index) => ({ session, ref: refs[index]!, receivedAt }));
  // All rows before the pipeline: if making a row failed later, the pipeline would commit without that row.
  const rows = {
    nonces: nonceRows(nonces),
    sessions: newSessionRows(numbered),
    events: eventRows(anchored),
    devices: rounds.map(({ devices }) => deviceRows(devices, receivedAt, isCounted)),
  };
  const stored = await transaction.pipelinedToCommit(async (pipeline) => {
    const inserting = [
      nonces.length > 0 && copyNonces(pipeline, rows.nonces),
      sessions.length > 0 && copySessions(pipeline, rows.sessions),
      events.length > 0 && copyEvents(pipeline, rows.events),
      increments.length > 0 && addCampaignCounts(pipeline, increments),
      shows.length > 0 && addCampaignShows(pipeline, shows, receivedAt),
    ];
    const updating = rows.devices.map((due) => upsertDevices(pipeline, due));
    const logging = sessions.length > 0 && logChange(pipeline, changeOf(numbered));
    const [devices] = await Promise.all([Promise.all(updating), logging, ...inserting]);
    return devices;
  });
  const added = isCounted ? addedByNew(devicesOf(rounds, stored)) : [];
  return { outcomes, eventsInserted: events.length, added };
}

function changeOf(sessions: NumberedSession[]): BatchChange {
  return {
    refs: sessions.map(({ ref }) => ref),
    deviceKeys: sessions.map(({ session }) => session.deviceKey),
  };
}

function anchorsOf(sessions: SessionRow[], refs: number[], receivedAt: number): Map<string, SessionAnchor> {
  const anchoredOn = new Date(receivedAt * 1_000).toISOString().slice(0, 10);
  const anchor = ({ finishedAt }: SessionRow, ref: number): SessionAnchor => ({
    ref: String(ref),
    receivedAt,
    anchoredOn,
    isNew: true,
    isOpen: finishedAt === null,
  });
  return new Map(sessions.map((session, index) => [sessionKey(session, session.id), anchor(session, refs[index]!)]));
}
