// What one phase of load is to do, and what came of it.
import type { Shape } from '../shapes.ts';

export interface LoadPlan {
  /** Connections are dealt out among them. */
  urls: string[];
  key: { public: string; secret: string };
  shape: Shape;
  signed: boolean;
  connections: number;
  /** The phase ends at its time or when all prepared uploads are sent, whichever is first. */
  seconds: number;
  uploads: number;
  /** Sends the prepared uploads again and again: for targets that store nothing. */
  cycle: boolean;
  seed: number;
  name: string;
}

export interface LoadResult {
  sent: number;
  /** How many answers had which status; 0 stands for a connection that broke. */
  statuses: Record<number, number>;
  seconds: number;
  p50Millis: number;
  p99Millis: number;
  cpuSeconds: number;
  /** Session ids of the uploads answered 200; null where the generator does not tell which they were. */
  acknowledged: string[] | null;
}

export interface PreparedLoad {
  run(): Promise<LoadResult>;
}

export interface LoadGenerator {
  name: string;
  prepare(plan: LoadPlan): Promise<PreparedLoad>;
  stop(): Promise<void>;
}
