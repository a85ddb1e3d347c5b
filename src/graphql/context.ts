// What every resolver is given about the request it works for.
import { randomUUID } from 'node:crypto';

export interface AdminContext {
  /** Names the request in the log. */
  requestId: string;
}

export function createContext(): AdminContext {
  return { requestId: randomUUID() };
}
