// The introduction of openapi.yaml leads an SDK engineer from the smallest body to the last heading, and docs/sdk lists its rules.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { NotificationTypeV2, Subtype } from '@apple/app-store-server-library';
import { fillSample } from '../../src/ops/docs/textPages.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anchorOf, headingsOf } from '../support/citations.ts';
import { kindsOfPage } from '../support/notificationKinds.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { readSignatureVectors, sampleFile, sampleLanguages, valuesOf, withVectors } from '../tools/samples/samples.ts';

describe('buildAnSdk', () => {
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
});

// The samples of the documentation pages hold the vectors and the smallest body, and the one in Python runs where python3 is.
describe('samples', () => {
  const vectors = readSignatureVectors();
  const readSample = (language: (typeof sampleLanguages)[number]) => readFileSync(sampleFile(language), 'utf8');

  test.each(sampleLanguages)(
    '%s: the vectors are those of signature.json, written by "npm run samples"',
    (language) => {
      const sample = readSample(language);
      expect(withVectors(language, sample, vectors)).toBe(sample);
      const rows = sample.split('\n').filter((line) => /"v1=[0-9a-f]{64}"/.test(line));
      expect(rows.map((row) => [...row.matchAll(/"([^"]*)"/g)].map(([, value]) => value))).toEqual(
        vectors.map(valuesOf),
      );
    },
  );

  test.each(sampleLanguages)('%s: the body is the smallest one of openapi.yaml', (language) => {
    const [, json = ''] = /```json\n(.+?)```/s.exec(readFileSync(projectFile('openapi.yaml'), 'utf8')) ?? [];
    const [, body = ''] = /(?:BODY|body) = """\n?(\{.*?\})\n?"""/s.exec(readSample(language)) ?? [];
    expect(JSON.parse(body)).toEqual(JSON.parse(json));
  });

  test.each(sampleLanguages)('%s: the page fills in the base URL and the keys', (language) => {
    const key = { public: 'pub_here', secret: 'sec_here' };
    const filled = fillSample(readSample(language), { baseUrl: 'https://api.example', key });
    for (const value of ['"https://api.example"', '"pub_here"', '"sec_here"']) expect(filled).toContain(value);
    expect(filled).not.toMatch(/localhost|…/);
  });

  const hasPython = (() => {
    try {
      return execFileSync('python3', ['--version'], { encoding: 'utf8' }).startsWith('Python 3');
    } catch {
      return false;
    }
  })();

  (hasPython ? describe : describe.skip)('the sample in Python', () => {
    let service: TestService;
    let folder: string;
    beforeAll(async () => {
      service = await startTestService();
      folder = mkdtempSync(path.join(tmpdir(), 'sample-'));
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true });
      await service.stop();
    });

    test('computes the signature of each vector', () => {
      const output = execFileSync('python3', [sampleFile('py'), 'check'], { encoding: 'utf8' });
      expect(output).toBe(`${vectors.length} signatures equal the vectors\n`);
    });

    test('sends an upload that the service stores, and a wrong secret is a 403', async () => {
      const run = async (secret: string) => {
        const key = { public: service.application.key.public, secret };
        const file = path.join(folder, 'upload.py');
        writeFileSync(file, fillSample(readSample('py'), { baseUrl: service.url, key }));
        return (await promisify(execFile)('python3', [file])).stdout;
      };
      expect(await run(service.application.key.secret)).toBe('200 {}\n');
      expect(await run('sec_wrong')).toMatch(/^403 .*signature_mismatch/);
    });
  });
});

// docs/server/notification-kinds.md must have a row for each kind and subtype of notification that the store's library knows.
describe('storeNotifications', () => {
  const kinds = kindsOfPage();
  const unique = (words: string[]) => [...new Set(words)].sort();

  test('the table has exactly the kinds of the library', () => {
    expect(unique(kinds.map(({ type }) => type))).toEqual(unique(Object.values(NotificationTypeV2)));
  });

  test('the table has exactly the subtypes of the library', () => {
    expect(unique(kinds.flatMap(({ subtype }) => subtype ?? []))).toEqual(unique(Object.values(Subtype)));
  });

  test('no row is there twice, and each says what changes', () => {
    const rows = kinds.map(({ type, subtype }) => `${type} ${subtype}`);
    expect(rows).toHaveLength(new Set(rows).size);
    expect(kinds.filter(({ change }) => change === '')).toEqual([]);
  });
});
