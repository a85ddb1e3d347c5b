// When each API key was last used: every request with a right key records it in memory, and one statement writes all keys.
import type { Log } from '../platform/observability/log.ts';

export interface KeyUse {
  publicKey: string;
  at: Date;
}

export interface KeyUses {
  /** Only notes it in memory, and never fails. */
  note(use: KeyUse): void;
  /** Writes the noted uses and stops. Later uses are lost. */
  stop(): Promise<void>;
}

export interface KeyUsesOptions {
  save(uses: KeyUse[]): Promise<void>;
  log: Log;
  everyMillis?: number;
}

/** schema.graphql promises that `ApiKey.lastUsed` is accurate to a minute. It is so even when one write fails. */
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
  // One write after the other, so that the next write cannot overtake a slow one.
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
