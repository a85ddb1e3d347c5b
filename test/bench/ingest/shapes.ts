// The body shapes that are measured: how many sessions an upload has, and how many events each of them.

export interface Shape {
  name: string;
  sessions: number;
  eventsPerSession: number;
}

export const shapes: Shape[] = [
  { name: '1x10', sessions: 1, eventsPerSession: 10 },
  { name: '1x1', sessions: 1, eventsPerSession: 1 },
  { name: '5x40', sessions: 5, eventsPerSession: 40 },
];

export function eventsOf({ sessions, eventsPerSession }: Shape): number {
  return sessions * eventsPerSession;
}
