// The introduction of openapi.yaml leads an SDK engineer from the smallest body to the last heading, and docs/sdk lists its rules.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anchorOf, headingsOf } from '../support/citations.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';

const text = readFileSync(projectFile('openapi.yaml'), 'utf8');
const headings = headingsOf('openapi.yaml');
const [, first = ''] = /## Build an SDK in this order\n(.+?)\n +## /s.exec(text) ?? [];

test('it begins with the order in which an SDK is built, in at most 300 words', () => {
  expect(headings.find((heading) => !heading.startsWith('The public'))).toBe('Build an SDK in this order');
  expect(first.split(/\s+/).length).toBeLessThan(300);
});

test('its sections stand in that order, and what concerns malformed requests last', () => {
  const wanted = [
    'Signature of a session request',
    'Retries',
    'Clock correction',
    'State, configuration and evaluation',
    'Compression',
    'Malformed requests',
    'Session lifecycle',
    'User and device state',
    'Fetching',
    'Evaluation',
  ];
  expect(headings.filter((heading) => wanted.includes(heading))).toEqual(wanted);
});

test('every link and every heading that a sentence names exists', () => {
  const anchors = new Set(headings.map(anchorOf));
  const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  const named = [...text.matchAll(/[Ss]ee\s+"([^"]+)"/g)].map(([, heading]) => heading!.replace(/\s+/g, ' '));
  expect([links.length, named.length].every((count) => count > 5)).toBe(true);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  expect(named.filter((heading) => !headings.includes(heading))).toEqual([]);
});

test('the smallest body is a valid upload, and every member of it is required', async () => {
  const document = await loadPublicDocument();
  const [, json = ''] = /```json\n(.+?)```/s.exec(first) ?? [];
  const body = JSON.parse(json) as Record<string, unknown>;
  const request = { method: 'post', path: '/api/v1/session', headers: { 'content-type': 'application/json' } };
  const isValid = (value: unknown) => document.validateRequest({ ...request, body: value }, 'reportSessions').valid;
  expect(isValid(body)).toBe(true);
  for (const key of Object.keys(body)) {
    const less = Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
    expect(isValid(less)).toBe(false);
  }
});

test('no rule is marked as a choice here: docs/sdk/choices.md says whose choice each is', () => {
  expect(text).not.toContain('[choice]');
  const page = readFileSync(projectFile('docs/sdk/choices.md'), 'utf8');
  const own = new Set([...page.matchAll(/openapi\.yaml, (?:\w+, )?"(.+?)"[`,. ]/g)].map(([, heading]) => heading));
  const rest = headings.filter((heading) => /^[A-Z]/.test(heading) && !heading.startsWith('The public'));
  // Below one of these, or without a rule.
  const others = [
    'Build an SDK in this order',
    'State, configuration and evaluation',
    'Test vectors',
    ...['Inputs', 'When to evaluate', 'Steps', 'Schedule', 'Trigger', 'Filters', 'Targeting', 'Frequency'],
    // The store calls this operation, and no SDK does.
    ...['Store notifications', 'Missed notifications'],
    ...['Presentation', 'Action', 'Conditions', 'Offline'],
  ];
  expect(rest.filter((heading) => !own.has(heading) && !others.includes(heading))).toEqual([]);
});

test('the ids of docs/sdk/rules.md are unique and in one form', () => {
  const page = readFileSync(projectFile('docs/sdk/rules.md'), 'utf8');
  const ids = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, id]) => id!);
  expect(ids.length).toBeGreaterThan(30);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index || !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(id))).toEqual([]);
});
