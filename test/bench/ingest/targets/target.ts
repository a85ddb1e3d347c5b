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
  stop(): Promise<void>;
}
