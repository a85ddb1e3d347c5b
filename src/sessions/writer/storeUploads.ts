// One transaction that stores a batch of uploads: nonces, sessions, events, counts, device state, in this order on every process.
import type { PipelinedTransaction, Transaction } from '../../platform/database/transaction.ts';
import { AppError } from '../../platform/errors.ts';
import { eventKey, type EventRow, type Upload, type UploadOutcome } from '../upload.ts';
import { addedByUploads, type Added } from './addedBytes.ts';
import {
  anchoredEvents,
  countIncrements,
  deviceRounds,
  devicesOf,
  distinctEvents,
  lateSessions,
  withoutReplays,
} from './batchRows.ts';
import { logChange, type BatchChange } from './changesStore.ts';
import { claimUploads } from './claimUploads.ts';
import {
  copyEvents,
  eventRows,
  eventInsertion,
  insertEvents,
  insertNewEvents,
  type AnchoredEvent,
} from './eventsStore.ts';
import { shownCampaigns } from './shownCampaigns.ts';
import { addCampaignShows } from './showsStore.ts';
import {
  addCampaignCounts,
  deviceRows,
  upsertDevices,
  upsertSessions,
  userPropertiesLimit,
  type SessionAnchor,
  type StoredDevice,
} from './uploadsStore.ts';

export interface StoredBatch {
  /** One for each upload, in the order given. */
  outcomes: UploadOutcome[];
  eventsInserted: number;
  /** By each upload with `counted` that was stored. */
  added?: readonly Added[];
}

/** Called with the length of the user properties of each device that a delta has changed, also before a rollback. */
export type Measured = (key: string, characters: number) => void;

/**
 * Resolves after COMMIT, in two round trips when every nonce is new and no event must be looked up first. `uploads` are
 * in order of arrival.
 */
export async function storeUploads(
  transaction: PipelinedTransaction,
  uploads: Upload[],
  measured?: Measured,
): Promise<StoredBatch> {
  const { outcomes, accepted, sessions, anchors } = await claimUploads(transaction, uploads);
  const events = anchoredEvents(distinctEvents(accepted, sessions[0]!.length), anchors);
  const asked = accepted.filter(({ mayBeReplay, counted }) => mayBeReplay || counted);
  const suspects = new Set(asked.flatMap((upload) => upload.events.map(eventKey)));
  const { certain, fresh, others } = await storeDecidingEvents(transaction, events, suspects);
  const increments = countIncrements(certain);
  const shows = shownCampaigns(certain, increments, anchors);
  const current = withoutReplays(accepted, anchors, certain);
  const isCounted = current.some(({ counted }) => counted);
  const rounds = deviceRounds(current, certain);
  const devices = rounds.map((round) => deviceRows(round.devices, null, isCounted));
  const rows = { fresh: eventRows(fresh), others: eventInsertion(others) };
  const change = changeOf(anchors);
  const finish = async (pipeline: Transaction): Promise<{ inserted: number; stored: StoredDevice[][] }> => {
    const copying = fresh.length > 0 ? copyEvents(pipeline, rows.fresh) : undefined;
    const inserting = others.length > 0 ? insertEvents(pipeline, rows.others) : 0;
    const counting = increments.length > 0 ? addCampaignCounts(pipeline, increments) : undefined;
    const showing = shows.length > 0 ? addCampaignShows(pipeline, shows, null) : undefined;
    const late = lateSessions(current).map((due) => upsertSessions(pipeline, due));
    const updating = devices.map((due) => upsertDevices(pipeline, due));
    const logging = anchors.size > 0 ? logChange(pipeline, change) : undefined;
    const rest = [copying, counting, showing, logging, ...late];
    const [inserted, stored] = await Promise.all([inserting, Promise.all(updating), ...rest]);
    return { inserted, stored };
  };
  const mustLook = devices.some(({ growing }) => growing);
  const { inserted, stored } = await (mustLook ? transaction.pipelined(finish) : transaction.pipelinedToCommit(finish));
  const lengths = stored.flat().map(({ key, characters }) => ({ key, characters: characters ?? 0 }));
  for (const { key, characters } of lengths) if (characters > 0) measured?.(key, characters);
  if (lengths.some(({ characters }) => characters > userPropertiesLimit)) throw setTooLarge();
  const added = isCounted ? addedByUploads(devicesOf(rounds, stored), anchors, certain) : [];
  return { outcomes, eventsInserted: certain.length + inserted, added };
}

/** Each session of the batch, stored or merged. */
function changeOf(anchors: ReadonlyMap<string, SessionAnchor>): BatchChange {
  const all = [...anchors.entries()];
  return {
    refs: all.map(([, { ref }]) => ref),
    deviceKeys: all.map(([key]) => key.slice(0, key.indexOf('\0'))),
  };
}

interface EventsToStore {
  /** Events that are known to be new; `fresh` among them. */
  certain: EventRow[];
  /** Events of new sessions, which cannot be stored yet: still to be copied. */
  fresh: AnchoredEvent[];
  /** Events of known sessions that count for no campaign and change no device: still to be inserted. */
  others: AnchoredEvent[];
}

/**
 * Inserts the events of known sessions that count for a campaign or change a device, and the events of uploads that may
 * be replays or that a quota counts (`suspects`, by their keys). Only new events count and change a device, so the rest of the transaction must know which
 * events are new. The rows of their sessions are locked, so the order of the events does not matter.
 */
async function storeDecidingEvents(
  transaction: PipelinedTransaction,
  events: AnchoredEvent[],
  suspects: ReadonlySet<string>,
): Promise<EventsToStore> {
  const fresh = events.filter(({ anchor }) => anchor.isNew);
  const isDeciding = (event: EventRow): boolean =>
    decides(event) || (suspects.size > 0 && suspects.has(eventKey(event)));
  const others = events.filter(({ anchor, event }) => !anchor.isNew && !isDeciding(event));
  const deciding = events.filter(({ anchor, event }) => !anchor.isNew && isDeciding(event));
  const added =
    deciding.length > 0 ? await transaction.pipelined((pipeline) => insertNewEvents(pipeline, deciding)) : [];
  return { certain: [...fresh, ...added].map(({ event }) => event), fresh, others };
}

function decides({ outcomes, removesProperty }: EventRow): boolean {
  return outcomes.length > 0 || removesProperty !== null;
}

/** Thrown for the whole batch. The writer halves the batch until the upload at fault is alone. */
function setTooLarge(): AppError {
  const message = `would make the stored set longer than ${userPropertiesLimit} characters of JSON; send a smaller set as a whole`;
  return new AppError('validation_failed', { fields: [{ path: 'user.properties', message }] });
}
