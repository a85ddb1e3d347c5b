// The metrics of session uploads. For events, received = inserted + duplicate + rejected when no upload is in progress.
import { Counter, Gauge, type Registry } from 'prom-client';
import { plainCounter } from './plainCounter.ts';
import { plainHistogram } from './plainHistogram.ts';

export interface StoredBatchCounts {
  /** 0 where a quota has refused all of them: then there was no transaction. */
  uploads: number;
  /** From the start, with a look-up for quotas, to the response to COMMIT; repeated transactions included. */
  millis: number;
  inserted: number;
  duplicate: number;
  rejected: number;
}

const eventsHelp =
  'What became of the events counted by ingest_events_received_total: inserted, duplicate (stored before, or twice in ' +
  'one upload), or rejected (not known to be stored: the upload was refused or failed). Each of them is counted once.';

export function ingestMetrics(registers: Registry[]) {
  const unstorable = new Counter({
    name: 'ingest_unstorable_uploads_total',
    help: 'Uploads that passed validation and that the database refused: each is a hole in the validation.',
    registers,
  });
  return {
    uploadUnstorable: () => unstorable.inc(),
    ...uploadMetrics(registers),
    ...eventMetrics(registers),
    observeQueue: (length: () => number) => queueGauge(registers, length),
  };
}

const uploadOutcomes = [
  ...['accepted', 'unavailable', 'internal_error', 'client_gone', 'nonce_reused', 'timestamp_out_of_window'],
  ...['signature_missing', 'signature_malformed', 'signature_mismatch', 'application_not_found', 'validation_failed'],
  ...['too_large', 'unsupported_media_type'],
];

/** `outcome` is `accepted`, the reason of a 403, the code of another refusal, `internal_error` or `client_gone`. */
function uploadMetrics(registers: Registry[]) {
  const uploads = plainCounter({
    name: 'ingest_uploads_total',
    help: 'Session uploads by what their client was told: accepted, or the reason why not.',
    labelNames: ['outcome'],
    registers,
  });
  const answered = new Map(uploadOutcomes.map((outcome) => [outcome, uploads({ outcome })]));
  const skew = plainHistogram({
    name: 'ingest_clock_skew_seconds',
    help: 'How far X-Timestamp of uploads whose signature is right is from our clock: by a wrong clock, or by a transfer that waited.',
    labelNames: ['device_clock'],
    buckets: [1, 5, 15, 60, 300, 3_600, 86_400, 31_536_000],
    registers,
  });
  const [ahead, behind] = [skew({ device_clock: 'ahead' }), skew({ device_clock: 'behind' })];
  return {
    uploadAnswered(outcome: string) {
      let add = answered.get(outcome);
      if (!add) answered.set(outcome, (add = uploads({ outcome })));
      add(1);
    },
    /** Positive when the device's clock is ahead. */
    clockSkew: (seconds: number) => (seconds > 0 ? ahead(seconds) : behind(-seconds)),
  };
}

function eventMetrics(registers: Registry[]) {
  const eventsReceived = plainCounter({
    name: 'ingest_events_received_total',
    help: 'Entries of sessions[].events in the body of every session upload that could be read as JSON, whatever came of it.',
    registers,
  })({});
  const events = plainCounter({ name: 'ingest_events_total', help: eventsHelp, labelNames: ['result'], registers });
  const inserted = events({ result: 'inserted' });
  const duplicate = events({ result: 'duplicate' });
  const eventsRejected = events({ result: 'rejected' });
  const batchUploads = plainHistogram({
    name: 'ingest_batch_uploads',
    help: 'Uploads that shared one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  })({});
  const commits = plainHistogram({
    name: 'ingest_commit_duration_seconds',
    help: 'Time of one transaction that stored uploads, from asking for a connection to the reply to COMMIT, with the look-up that quotas need before it; one that was sent behind another waits for that within it.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })({});
  const batchStored = (counts: StoredBatchCounts): void => {
    if (counts.uploads > 0) {
      batchUploads(counts.uploads);
      commits(counts.millis / 1_000);
    }
    inserted(counts.inserted);
    duplicate(counts.duplicate);
    eventsRejected(counts.rejected);
  };
  return { batchStored, eventsReceived, eventsRejected };
}

function queueGauge(registers: Registry[], length: () => number): void {
  new Gauge({
    name: 'ingest_queue_uploads',
    help: 'Uploads that wait to be read or for a transaction.',
    registers,
    collect() {
      this.set(length());
    },
  });
}
