// (C) The limit: one connection that copies the same event rows into a table with the same columns and the same key.
import type pg from 'pg';
import { copyFrom } from '../../../../src/platform/database/sql.ts';
import { eventColumns } from '../../../../src/sessions/writer/uploadsStore.ts';
import { sessionRows } from '../../../../src/sessions/upload.ts';
import type { Shape } from '../shapes.ts';
import { uploadSource } from '../uploads.ts';
import { eventLine } from './eventLines.ts';

export interface CopyPlan {
  shape: Shape;
  events: number;
  seed: number;
  name: string;
  applicationId: string;
  firstRef: number;
}

/** The rows as text, and their number. */
export function copyRows(plan: CopyPlan): { data: Buffer; events: number } {
  const source = uploadSource(plan.shape, plan);
  const anchoredOn = new Date().toISOString().slice(0, 10);
  const lines: string[] = [];
  for (let ref = plan.firstRef; lines.length < plan.events;) {
    const { sessions, events } = sessionRows(source.next(), { applicationId: plan.applicationId, stateAt: 0 });
    const anchors = new Map(sessions.map(({ id }) => [id, { ref: String(ref++), anchoredOn, isNew: true }]));
    for (const event of events) lines.push(eventLine(anchors.get(event.sessionId)!, event));
  }
  return { data: Buffer.from(lines.join('')), events: lines.length };
}

/** Returns the seconds from the first byte to the commit. */
export async function copyEvents(client: pg.Client, data: Buffer): Promise<number> {
  const start = performance.now();
  await copyFrom(client, `COPY copied_events ${eventColumns} FROM STDIN`, data);
  return (performance.now() - start) / 1_000;
}
