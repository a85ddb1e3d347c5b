// Quotas of uploads: a decorator around the store of batches.
import { noQuotas, type Counted, type Quotas, type UnsignedRequest } from '../../quotas/quotas.ts';
import type { Upload } from '../upload.ts';
import { mostBytes, type Added } from './addedBytes.ts';
import type { StoreBatch, StoreOptions } from './groupCommit.ts';
import type { StoredBatch } from './storeUploads.ts';

type UploadQuotas = Pick<Quotas, 'admitUploads' | 'withoutReports' | 'addSigned'>;

/**
 * An upload that a quota refuses is left out of its batch, and has the outcome `over_quota`. The admission of an upload is
 * kept in the upload, and not in a Map, for the reason that takeOut.ts gives.
 */
export function storeWithinQuotas(store: StoreBatch, quotas: UploadQuotas): StoreBatch {
  if (quotas === noQuotas) return store;
  return async (uploads, options) => {
    const stored = await storeUnsignedWithin(store, quotas, { uploads, options });
    addSigned(uploads, stored, quotas);
    return stored;
  };
}

/**
 * What a signed upload brings counts, also where some of it is stored already: which part, only one more statement could
 * tell. A repeat with the same nonce counts nothing.
 */
function addSigned(uploads: readonly Upload[], { outcomes }: StoredBatch, quotas: UploadQuotas): void {
  const sums: { applicationId: string; bytes: number }[] = [];
  uploads.forEach((upload, index) => {
    if (!upload.device.signed || outcomes[index] !== 'stored') return;
    const { applicationId } = upload.device;
    const sum = sums.find((each) => each.applicationId === applicationId);
    if (sum) sum.bytes += mostBytes(upload);
    else sums.push({ applicationId, bytes: mostBytes(upload) });
  });
  for (const { applicationId, bytes } of sums) quotas.addSigned(applicationId, bytes);
}

interface Batch {
  uploads: Upload[];
  options: StoreOptions;
}

async function storeUnsignedWithin(store: StoreBatch, quotas: UploadQuotas, batch: Batch): Promise<StoredBatch> {
  const { uploads, options } = batch;
  const unsigned = uploads.filter(({ device }) => !device.signed);
  if (unsigned.length === 0) return store(uploads, options);
  const admissions = await quotas.admitUploads(unsigned.map(requestOf));
  unsigned.forEach(({ counted }, index) => (counted!.admission = admissions[index]!));
  try {
    return await storeAdmitted(store, quotas, batch);
  } finally {
    for (const admission of new Set(admissions)) if (typeof admission === 'object') admission.leave();
  }
}

const isRefused = ({ counted }: Upload): boolean => counted?.admission === 'refused';

async function storeAdmitted(
  store: StoreBatch,
  quotas: UploadQuotas,
  { uploads, options }: Batch,
): Promise<StoredBatch> {
  const admitted = uploads.some(isRefused) ? uploads.filter((upload) => !isRefused(upload)) : uploads;
  if (admitted.length === 0) return { outcomes: uploads.map(() => 'over_quota'), eventsInserted: 0 };
  const stored = await store(admitted, options);
  await count(stored.added ?? [], quotas);
  if (admitted === uploads) return stored;
  const outcomes = stored.outcomes.values();
  const outcomeOf = (upload: Upload) => (isRefused(upload) ? 'over_quota' : outcomes.next().value!);
  return { ...stored, outcomes: uploads.map(outcomeOf) };
}

/** A new device counts once, unless it has sent attribution or transactions before. */
async function count(added: readonly Added[], quotas: UploadQuotas): Promise<void> {
  const newKeys = added.filter(({ device }) => device.isNew).map(({ device }) => device.key);
  const strange = newKeys.length > 0 ? await quotas.withoutReports(newKeys) : noKeys;
  const sums: { counted: Counted; bytes: number; devices: number }[] = [];
  for (const { upload, bytes, device } of added) {
    const counted = upload.counted!.admission;
    if (counted === null || typeof counted === 'string' || device.signed) continue;
    let sum = sums.find((each) => each.counted === counted);
    if (!sum) sums.push((sum = { counted, bytes: 0, devices: 0 }));
    sum.bytes += bytes;
    sum.devices += device.isNew && strange.has(device.key) ? 1 : 0;
  }
  for (const { counted, bytes, devices } of sums) counted.added({ bytes, devices });
}

const noKeys: ReadonlySet<string> = new Set();

/** Marks the upload: its store then says what it has added. */
function requestOf(upload: Upload): UnsignedRequest {
  const { applicationId, key: deviceKey } = upload.device;
  const bytes = mostBytes(upload);
  upload.counted = { mostBytes: bytes, admission: null };
  return { applicationId, operation: 'reportSessions', deviceKey, bytes };
}
