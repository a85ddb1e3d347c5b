// When each API key was last used: noted in memory by every request that bears it rightly, and written for all keys at once.
import type { Log } from '../platform/observability/log.ts';

export interface KeyUse {
  publicKey: string;
  at: Date;
}

export interface KeyUses {
  /** Costs nothing and never fails. */
  note(use: KeyUse): void;
  /** Writes what is noted and ends the writing; what comes after it is forgotten. */
  stop(): Promise<void>;
}

export interface KeyUsesOptions {
  save(uses: KeyUse[]): Promise<void>;
  log: Log;
  everyMillis?: number;
}

/** `ApiKey.lastUsed` is promised to be true within a minute, also when one writing fails. */
const writeEveryMillis = 20_000;

export function createKeyUses({ save, log, everyMillis = writeEveryMillis }: KeyUsesOptions): KeyUses {
  let noted = new Map<string, Date>();
  let writing = Promise.resolve();
  const note = ({ publicKey, at }: KeyUse): void => {
    const known = noted.get(publicKey);
    if (!known || known < at) noted.set(publicKey, at);
  };
  async function write(): Promise<void> {
    if (noted.size === 0) return;
    const uses = [...noted].map(([publicKey, at]) => ({ publicKey, at }));
    noted = new Map();
    try {
      await save(uses);
    } catch (error) {
      uses.forEach(note);
      log.warn({ err: error }, 'the last uses of API keys could not be written');
    }
  }
  // One after the other, so that a slow writing is not overtaken by the next.
  const writeNext = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void writeNext(), everyMillis).unref();
  return {
    note,
    stop() {
      clearInterval(timer);
      return writeNext();
    },
  };
}
