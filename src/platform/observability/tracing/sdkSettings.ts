// What the SDK is told: which spans it keeps, and what it says of this process.
import { randomUUID } from 'node:crypto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { version } from '../../version.ts';

export interface TracingSettings {
  /** Where spans are posted. */
  url: string;
  serviceName: string;
  /** As OpenTelemetry's specification of the environment names them. */
  sampler: `${'parentbased_' | ''}${'always_on' | 'always_off' | 'traceidratio'}`;
  /** The part of traces that a sampler by ratio keeps, from 0 to 1. */
  ratio: number;
}

export function samplerOf({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  const root = rootSampler(sampler, ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(sampler: TracingSettings['sampler'], ratio: number): Sampler {
  if (sampler.endsWith('always_on')) return new AlwaysOnSampler();
  return sampler.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** The operator's OTEL_RESOURCE_ATTRIBUTES, which the SDK reads itself, come last: they may replace ours. */
export function resourceOf({ serviceName }: Pick<TracingSettings, 'serviceName'>): Resource {
  const ours = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
  };
  return defaultResource()
    .merge(resourceFromAttributes(ours))
    .merge(detectResources({ detectors: [envDetector] }));
}
