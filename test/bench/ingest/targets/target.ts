// What is measured: something that takes uploads over HTTP, in a process of its own.

export interface Target {
  /** One letter for the tables. */
  letter: string;
  name: string;
  url: string;
  pid: number;
  /** Null where nothing is stored. */
  databaseUrl: string | null;
  stop(): Promise<void>;
}
