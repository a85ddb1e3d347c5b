// A target of the bench: a server in one or more processes that takes uploads over HTTP.

export interface Target {
  /** The target's letter in the tables. */
  letter: string;
  name: string;
  /** One URL per process. */
  urls: string[];
  pids: number[];
  /** Null when the target stores nothing. */
  databaseUrl: string | null;
  /** Begins what goes on beside the uploads of a phase, and returns what ends it. */
  during?(): () => Promise<void>;
  /** Resolves when the target does nothing after a phase. */
  settled?(): Promise<void>;
  stop(): Promise<void>;
}
