// Quotas of unsigned uploads: a decorator around the store of batches, which asks once for all devices of a batch.
import { noQuotas, type Admission, type Counted, type Quotas, type UnsignedRequest } from '../../quotas/quotas.ts';
import type { Upload } from '../upload.ts';
import { bytesOfUpload } from './addedBytes.ts';
import type { StoreBatch, StoreOptions } from './groupCommit.ts';
import type { StoredBatch } from './storeUploads.ts';

/** An upload that a quota refuses is left out of its batch, and has the outcome `over_quota`. */
export function storeWithinQuotas(store: StoreBatch, quotas: Pick<Quotas, 'admit'>): StoreBatch {
  if (quotas === noQuotas) return store;
  return async (uploads, options) => {
    const unsigned = uploads.filter(({ device }) => !device.signed);
    if (unsigned.length === 0) return store(uploads, options);
    const admissions = await quotas.admit(unsigned.map(requestOf));
    const byUpload = new Map(unsigned.map((upload, index) => [upload, admissions[index]!]));
    try {
      return await storeAdmitted(store, { uploads, options, admissionOf: (upload) => byUpload.get(upload) });
    } finally {
      for (const admission of admissions) if (typeof admission === 'object') admission.leave();
    }
  };
}

interface Asked {
  uploads: Upload[];
  options: StoreOptions;
  /** Undefined for a signed upload. */
  admissionOf(upload: Upload): Admission | undefined;
}

async function storeAdmitted(store: StoreBatch, { uploads, options, admissionOf }: Asked): Promise<StoredBatch> {
  const counted = new Map<Upload, Counted>();
  const admitted = uploads.flatMap((upload) => {
    const admission = admissionOf(upload);
    if (admission === 'refused') return [];
    if (admission === undefined || admission === 'uncounted') return [upload];
    const marked = { ...upload, counted: { holdsState: admission.holdsState } };
    counted.set(marked, admission);
    return [marked];
  });
  if (admitted.length === 0) return { outcomes: uploads.map(() => 'over_quota'), eventsInserted: 0 };
  const stored = await store(admitted, options);
  for (const [upload, { added }] of counted) added(stored.bytesAdded?.get(upload) ?? 0);
  const outcomes = stored.outcomes.values();
  const outcomeOf = (upload: Upload) => (admissionOf(upload) === 'refused' ? 'over_quota' : outcomes.next().value!);
  return { ...stored, outcomes: uploads.map(outcomeOf) };
}

function requestOf(upload: Upload): UnsignedRequest {
  const { applicationId, key: deviceKey } = upload.device;
  return { applicationId, operation: 'reportSessions', deviceKey, state: upload.device, bytes: bytesOfUpload(upload) };
}
