// Decides who owns and holds lines, from all uploads that brought them, and stores it: after an upload and after a look-up.
import type { Transaction } from '../platform/database/transaction.ts';
import {
  changeHolders,
  findClaims,
  findHolders,
  findNamed,
  findPolicy,
  saveOwners,
  type HolderOfLine,
} from './holdersStore.ts';
import { decideLine, firstDeviceOf, keyOf, type Claim, type Holder, type LineDecision } from './lineHolders.ts';
import { byLine, findLines, type LineRecord, type Lines } from './statementsStore.ts';

/** How a line changed in a transaction. */
export interface LineChange {
  lineId: string;
  /** Null for a new line. */
  before: LineRecord | null;
  after: LineRecord;
  holders: { before: Holder[]; after: Holder[] };
}

/**
 * The caller has locked the lines and stored their new periods. So `before` of a change has the new period already, and the
 * owner from before.
 */
export async function decideHolders(transaction: Transaction, lines: Lines): Promise<LineChange[]> {
  if (lines.lineIds.length === 0) return [];
  const { applicationId } = lines;
  const records = await findLines(transaction, lines);
  const claims = byLine(await findClaims(transaction, lines));
  const held = byLine(await findHolders(transaction, lines));
  const policy = await findPolicy(transaction, applicationId);
  const named = await namesOf(transaction, [...claims.values()].flat(), [...records.values()]);
  const changes = [...records.values()].map((before): LineChange => {
    const { lineId, accountToken, ownership } = before;
    const facts = { claims: claims.get(lineId) ?? [], accountToken, ownership, policy, named };
    const { owner, holders }: LineDecision = decideLine(facts);
    const after = { ...before, owner, firstDeviceId: firstDeviceOf(facts.claims) };
    return { lineId, before, after, holders: { before: held.get(lineId) ?? [], after: holders } };
  });
  await changeHolders(transaction, applicationId, {
    gone: changes.flatMap((change) => without(change, 'before', 'after')),
    come: changes.flatMap((change) => without(change, 'after', 'before')),
  });
  const bringers = (line: LineRecord | null) => JSON.stringify([line?.owner, line?.firstDeviceId]);
  const changed = changes.filter(({ before, after }) => bringers(before) !== bringers(after));
  await saveOwners(
    transaction,
    applicationId,
    changed.map(({ lineId, after: { owner, firstDeviceId } }) => ({ lineId, owner, firstDeviceId })),
  );
  return changes;
}

function without({ lineId, holders }: LineChange, one: 'before' | 'after', other: 'before' | 'after'): HolderOfLine[] {
  const there = new Set(holders[other].map(keyOf));
  return holders[one]
    .filter((holder) => !there.has(keyOf(holder)))
    .map(({ deviceKey, externalId }) => ({ lineId, deviceKey, externalId }));
}

/** Only devices that brought a line without an external id are asked for. */
async function namesOf(transaction: Transaction, claims: Claim[], records: LineRecord[]): Promise<Holder[]> {
  const deviceKeys = [...new Set(claims.flatMap((claim) => (claim.externalId === '' ? [claim.deviceKey] : [])))];
  const tokens = records.flatMap(({ accountToken }) => accountToken ?? []);
  const owners = [...tokens, ...claims.flatMap(({ externalId }) => externalId || [])];
  if (deviceKeys.length === 0 || owners.length === 0) return [];
  return findNamed(transaction, { deviceKeys, externalIds: [...new Set(owners)] });
}
