// The process's metrics, named and labelled by Prometheus' conventions; the private listener serves them.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, ...requestMetrics([registry]), ...ingestMetrics([registry]) };
}

function requestMetrics(registers: Registry[]) {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answers of the public API, by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  return { requests };
}

function ingestMetrics(registers: Registry[]) {
  const unstorableUploads = new Counter({
    name: 'ingest_unstorable_uploads_total',
    help: 'Uploads that passed validation and that the database refused: each is a hole in the validation.',
    registers,
  });
  const events = new Counter({
    name: 'ingest_events_total',
    help: 'Events of stored uploads, by whether they were new.',
    labelNames: ['result'],
    registers,
  });
  const batchUploads = new Histogram({
    name: 'ingest_batch_uploads',
    help: 'Uploads that shared one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  });
  const batchStored = (uploads: number, stored: { eventsInserted: number; eventsDuplicate: number }): void => {
    batchUploads.observe(uploads);
    events.inc({ result: 'inserted' }, stored.eventsInserted);
    events.inc({ result: 'duplicate' }, stored.eventsDuplicate);
  };
  return { unstorableUploads, batchStored, observeQueue: (length: () => number) => queueGauge(registers, length) };
}

function queueGauge(registers: Registry[], length: () => number): void {
  new Gauge({
    name: 'ingest_queue_uploads',
    help: 'Uploads that wait for a transaction.',
    registers,
    collect() {
      this.set(length());
    },
  });
}
