// (T) The service, with traces that a collector beside it takes and throws away.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServiceTarget, type ServiceOptions } from './serviceTarget.ts';
import type { Target } from './target.ts';

/** The part of traces that are kept. */
const ratio = process.env['BENCH_TRACE_RATIO'] ?? '1';

export async function startTraced(described: Omit<ServiceOptions, 'name'>): Promise<Target> {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  };
  const service = await startServiceTarget({ ...described, name: `this service, ${ratio} of traces`, env });
  const stop = async (): Promise<void> => {
    await service.stop();
    collector.closeAllConnections();
    collector.close();
  };
  return { ...service, stop };
}
