// The span of a batch: a decorator around the writer and its store, so that both know nothing of traces.
import { traced, type OpenSpan, type Tracing } from '../../platform/observability/tracing/tracing.ts';
import type { Upload } from '../upload.ts';
import type { StoreBatch } from './groupCommit.ts';
import type { Uploads } from './uploadWriter.ts';

/**
 * A batch belongs to the trace of its first request that the sampler has kept, and is linked to the others in both
 * directions: so every trace that is kept leads to its transaction. A batch without such a request has no span.
 */
export function traceUploads(tracing: Tracing) {
  const requests = new WeakMap<Upload, OpenSpan>();
  const requestsOf = (uploads: Upload[]): OpenSpan[] => uploads.flatMap((upload) => requests.get(upload) ?? []);
  return {
    store: (store: StoreBatch): StoreBatch => {
      return (uploads, options) => {
        const links = requestsOf(uploads);
        const [first, ...others] = links;
        // Whichever request comes by begins a transaction: it is not the one that the batch belongs to.
        if (!first) return tracing.outside(() => store(uploads, options));
        const start = {
          name: 'store batch',
          kind: 'internal',
          parent: first,
          links,
          attributes: sizeOf(uploads),
        } as const;
        return traced(tracing, start, (batch) => {
          for (const request of others) request.link(batch!);
          return store(uploads, options);
        });
      };
    },
    uploads: (writer: Uploads): Uploads => ({
      isFull: (applicationId, isCrowded) => writer.isFull(applicationId, isCrowded),
      take: (applicationId, read) =>
        writer.take(applicationId, async (place) => {
          const upload = await read(place);
          const request = tracing.current();
          if (request) requests.set(upload, request);
          return upload;
        }),
    }),
  };
}

const sizeOf = (uploads: Upload[]) => ({
  'batch.uploads': uploads.length,
  'batch.events': uploads.reduce((sum, { events }) => sum + events.length, 0),
});
