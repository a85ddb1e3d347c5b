// Reads the table of kinds of notifications in docs/server/notification-kinds.md.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

export interface NotificationKind {
  type: string;
  subtype: string | null;
  change: string;
}

export function kindsOfPage(): NotificationKind[] {
  const page = readFileSync(projectFile('docs/server/notification-kinds.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (?:`([A-Z_]+)` )?\| (.*) \|$/gm)];
  return rows.map(([, type, subtype, change]) => ({ type: type!, subtype: subtype ?? null, change: change! }));
}
