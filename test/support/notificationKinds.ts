// Reads the table of kinds of notifications in docs/operating/store-notifications.md.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

export interface NotificationKind {
  type: string;
  subtype: string | null;
  change: string;
}

export function kindsOfPage(): NotificationKind[] {
  const page = readFileSync(projectFile('docs/operating/store-notifications.md'), 'utf8');
  const table = page.slice(page.indexOf('## What each kind changes'));
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| (?:`([A-Z_]+)` )?\| (.*) \|$/gm)];
  return rows.map(([, type, subtype, change]) => ({ type: type!, subtype: subtype ?? null, change: change! }));
}
