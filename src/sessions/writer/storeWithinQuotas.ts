// Quotas of unsigned uploads: a decorator around the store of batches.
import { noQuotas, type Admission, type Quotas, type UnsignedRequest } from '../../quotas/quotas.ts';
import type { Upload } from '../upload.ts';
import { mostBytes, type Added } from './addedBytes.ts';
import type { StoreBatch, StoreOptions } from './groupCommit.ts';
import type { StoredBatch } from './storeUploads.ts';

type UploadQuotas = Pick<Quotas, 'admitUploads' | 'withoutReports'>;

/** An upload that a quota refuses is left out of its batch, and has the outcome `over_quota`. */
export function storeWithinQuotas(store: StoreBatch, quotas: UploadQuotas): StoreBatch {
  if (quotas === noQuotas) return store;
  return async (uploads, options) => {
    const unsigned = uploads.filter(({ device }) => !device.signed);
    if (unsigned.length === 0) return store(uploads, options);
    const admissions = await quotas.admitUploads(unsigned.map(requestOf));
    const byUpload = new Map(unsigned.map((upload, index) => [upload, admissions[index]!]));
    try {
      return await storeAdmitted(store, quotas, { uploads, options, byUpload });
    } finally {
      for (const admission of admissions) if (typeof admission === 'object') admission.leave();
    }
  };
}

interface Asked {
  uploads: Upload[];
  options: StoreOptions;
  /** None of a signed upload. */
  byUpload: ReadonlyMap<Upload, Admission>;
}

async function storeAdmitted(
  store: StoreBatch,
  quotas: UploadQuotas,
  { uploads, options, byUpload }: Asked,
): Promise<StoredBatch> {
  const isRefused = (upload: Upload): boolean => byUpload.get(upload) === 'refused';
  const admitted = uploads.filter((upload) => !isRefused(upload));
  if (admitted.length === 0) return { outcomes: uploads.map(() => 'over_quota'), eventsInserted: 0 };
  const stored = await store(admitted, options);
  await count(stored.added ?? [], quotas, byUpload);
  if (admitted.length === uploads.length) return stored;
  const outcomes = stored.outcomes.values();
  const outcomeOf = (upload: Upload) => (isRefused(upload) ? 'over_quota' : outcomes.next().value!);
  return { ...stored, outcomes: uploads.map(outcomeOf) };
}

/** A new device counts once, unless it has sent attribution or transactions before. */
async function count(added: readonly Added[], quotas: UploadQuotas, byUpload: Asked['byUpload']): Promise<void> {
  const newKeys = added.filter(({ device }) => device.isNew).map(({ device }) => device.key);
  const strange = newKeys.length > 0 ? await quotas.withoutReports(newKeys) : noKeys;
  for (const { upload, bytes, device } of added) {
    const admission = byUpload.get(upload);
    if (typeof admission !== 'object' || device.signed) continue;
    admission.added({ bytes, devices: device.isNew && strange.has(device.key) ? 1 : 0 });
  }
}

const noKeys: ReadonlySet<string> = new Set();

/** Marks the upload: its store then says what it has added. */
function requestOf(upload: Upload): UnsignedRequest {
  const { applicationId, key: deviceKey } = upload.device;
  const bytes = mostBytes(upload);
  upload.counted = { mostBytes: bytes };
  return { applicationId, operation: 'reportSessions', deviceKey, bytes };
}
