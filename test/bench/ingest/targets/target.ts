// What is measured: something that takes uploads over HTTP, in one or more processes of its own.

export interface Target {
  /** One letter for the tables. */
  letter: string;
  name: string;
  /** One for each of its processes. */
  urls: string[];
  pids: number[];
  /** Null where nothing is stored. */
  databaseUrl: string | null;
  stop(): Promise<void>;
}
