// The body shapes of the bench: sessions per upload, events per session, and uploads per session.

export interface Shape {
  name: string;
  sessions: number;
  eventsPerSession: number;
  /** The number of uploads that a session is sent in, each with other events of it. */
  flushes: number;
}

export const shapes: Shape[] = [
  { name: '1x10', sessions: 1, eventsPerSession: 10, flushes: 1 },
  { name: '1x1', sessions: 1, eventsPerSession: 1, flushes: 1 },
  { name: '5x40', sessions: 5, eventsPerSession: 40, flushes: 1 },
  { name: '1x10x3', sessions: 1, eventsPerSession: 10, flushes: 3 },
];

/** The shapes that must be fast; the others are measured on demand. */
export const defaultShapes = ['1x10', '1x1', '5x40'];

/** The events of one upload. */
export function eventsOf({ sessions, eventsPerSession }: Shape): number {
  return sessions * eventsPerSession;
}
