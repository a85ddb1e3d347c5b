// The body shapes that are measured: how many sessions an upload has, how many events each of them, and how often one comes.

export interface Shape {
  name: string;
  sessions: number;
  eventsPerSession: number;
  /** How many uploads a session is sent in, each with other events of it. */
  flushes: number;
}

export const shapes: Shape[] = [
  { name: '1x10', sessions: 1, eventsPerSession: 10, flushes: 1 },
  { name: '1x1', sessions: 1, eventsPerSession: 1, flushes: 1 },
  { name: '5x40', sessions: 5, eventsPerSession: 40, flushes: 1 },
  { name: '1x10x3', sessions: 1, eventsPerSession: 10, flushes: 3 },
];

/** What was asked to be fast; the others are measured when they are asked for. */
export const defaultShapes = ['1x10', '1x1', '5x40'];

/** In one upload. */
export function eventsOf({ sessions, eventsPerSession }: Shape): number {
  return sessions * eventsPerSession;
}
