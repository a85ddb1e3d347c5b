// What one phase of load is to do, and what came of it.
import type { Shape } from '../shapes.ts';

export interface LoadPlan {
  /** Connections are dealt out among them. */
  urls: string[];
  key: { public: string; secret: string };
  shape: Shape;
  signed: boolean;
  /** Bodies are compressed; absent, they are not. */
  gzip?: boolean;
  /** Of an open loop: at most. */
  connections: number;
  /** Uploads are due at this rate, answered or not; absent, each connection sends its next one when it is answered. */
  perSecond?: number;
  /** The phase ends at its time or when all prepared uploads are sent, whichever is first. */
  seconds: number;
  uploads: number;
  /** Sends the prepared uploads again and again: for targets that store nothing. */
  cycle: boolean;
  seed: number;
  name: string;
}

export interface LoadResult {
  /** How many the plan asked for by time alone; what is sent of them may be fewer. */
  due: number;
  sent: number;
  /** How many answers had which status; 0 stands for a connection that broke. */
  statuses: Record<number, number>;
  /** Of what was sent: no answer within 15 s after the phase (with wrk: none before its end). */
  unanswered: number;
  /** Answers with 503 that do not say when to come again. */
  withoutRetryAfter: number;
  seconds: number;
  p50Millis: number;
  p99Millis: number;
  /** From when it was sent, whenever it was due, to its answer. */
  slowestMillis: number;
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
