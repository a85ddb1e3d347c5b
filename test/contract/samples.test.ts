// The samples of the documentation pages hold the vectors and the smallest body, and the one in Python runs where python3 is.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { fillSample } from '../../src/ops/docs/samples.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { readSignatureVectors, sampleFile, sampleLanguages, valuesOf, withVectors } from '../tools/samples/samples.ts';

const vectors = readSignatureVectors();
const readSample = (language: (typeof sampleLanguages)[number]) => readFileSync(sampleFile(language), 'utf8');

test.each(sampleLanguages)('%s: the vectors are those of signature.json, written by "npm run samples"', (language) => {
  const sample = readSample(language);
  expect(withVectors(language, sample, vectors)).toBe(sample);
  const rows = sample.split('\n').filter((line) => /"v1=[0-9a-f]{64}"/.test(line));
  expect(rows.map((row) => [...row.matchAll(/"([^"]*)"/g)].map(([, value]) => value))).toEqual(vectors.map(valuesOf));
});

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
