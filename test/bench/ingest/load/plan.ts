// The plan of one phase of load, and its result.
import type { Shape } from '../shapes.ts';

export interface LoadPlan {
  /** The connections are spread evenly over them. */
  urls: string[];
  key: { public: string; secret: string };
  shape: Shape;
  signed: boolean;
  /** Compresses the bodies; absent, they are plain. */
  gzip?: boolean;
  /** The maximum in an open loop. */
  connections: number;
  /** In an open loop, those of them that are opened before the clock starts. */
  firstConnections?: number;
  /**
   * Uploads are due at this rate, whether or not there are responses. Absent, each connection sends its next upload
   * after the response.
   */
  perSecond?: number;
  /** The phase ends after this time or when all prepared uploads are sent, whichever is first. */
  seconds: number;
  uploads: number;
  /** Sends the prepared uploads again and again: for targets that store nothing. */
  cycle: boolean;
  seed: number;
  name: string;
}

export interface LoadResult {
  /** The number of uploads due in the phase's time; `sent` may be smaller. */
  due: number;
  sent: number;
  /** The number of responses by status; 0 means a broken connection. */
  statuses: Record<number, number>;
  /** Uploads sent without a response within 15 s after the phase (with wrk: before its end). */
  unserved: number;
  /** 503 responses without Retry-After. */
  withoutRetryAfter: number;
  seconds: number;
  p50Millis: number;
  p99Millis: number;
  /** The longest time from sending an upload, not from its due time, to its response. */
  slowestMillis: number;
  cpuSeconds: number;
  /** Session ids of the uploads with status 200; null when the generator cannot name them. */
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
