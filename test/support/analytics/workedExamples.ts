// Reads the pages of docs/analytics: the data of README.md as if it had been drawn, and each page's question with its response.
import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import type { Drawn, DrawnDevice, DrawnEvent, DrawnSession, Micros, Properties } from './drawn.ts';

const folder = 'docs/analytics';
const page = (name: string): string => readFileSync(projectFile(folder, name), 'utf8');

export const askedAt = new Date(/asked at (\S+)\. Times/.exec(page('README.md'))![1]!);
const timeZone = /time zone of the application is `([^`]+)`/.exec(page('README.md'))![1]!;

/** The rows of the table below a heading. */
export function tableOf(heading: string): string[][] {
  const section = page('README.md').split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const micros = (time: string): Micros => Date.parse(time) * 1_000;
const properties = (cell: string): Properties => JSON.parse(cell.replaceAll('`', '')) as Properties;
const orNull = (cell: string): string | null => (cell === '' ? null : cell);

export function exampleData(): Drawn {
  const devices = tableOf('Devices').map(([id, user, own, ofUser, test]): DrawnDevice => ({
    id: id!,
    userId: orNull(user!),
    properties: properties(own!),
    userProperties: properties(ofUser!),
    test: test === 'yes',
  }));
  const sessions = tableOf('Sessions').map(([id, device, user, started, finished, arrived]): DrawnSession => ({
    ...{ id: id!, device: device!, userId: orNull(user!), startedAt: micros(started!) },
    finishedAt: finished === '' ? null : micros(finished!),
    uploads: [{ arrivedAt: micros(arrived!), events: eventsOf(id!) }],
  }));
  const asked = { devices, sessions };
  return { asked, other: asked, timeZone, around: '2026-03-29', now: askedAt.getTime() * 1_000 };
}

function eventsOf(session: string): DrawnEvent[] {
  const rows = tableOf('Events').filter(([of]) => of === session);
  return rows.map(([, , name, type, time, params]) => ({
    ...{ name: name!, system: type === 'system', occurredAt: micros(time!), params: properties(params!) },
  }));
}

export interface WorkedExample {
  page: string;
  query: string;
  response: unknown;
}

/** Each question of each page, with the response that the page shows. */
export function workedExamples(): WorkedExample[] {
  const pages = readdirSync(projectFile(folder)).filter((name) => name !== 'README.md' && name.endsWith('.md'));
  return pages.flatMap((name) =>
    [...page(name).matchAll(/```graphql\n(.*?)```\s+```json\n(.*?)```/gs)].map(([, query, response]) => ({
      page: name,
      query: query!,
      response: JSON.parse(response!) as unknown,
    })),
  );
}
