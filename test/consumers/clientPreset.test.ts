// A dashboard's documents typed by codegen's client preset; test/integration/dashboardPage.test.ts sends them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { generateConsumer, type ConsumerProject } from '../support/consumerProject.ts';
import { checkSignatures } from '../support/publicSignatures.ts';

/** A timeout for generating and compiling on a busy machine; a quiet one takes a few seconds. */
const slow = 600_000;

let project: ConsumerProject;
beforeAll(async () => {
  project = await generateConsumer('clientPreset');
}, slow);
afterAll(() => project.remove());

test(
  'compiles in strict mode, and nothing that it exports is an `any`',
  () => {
    const files = ['generated/graphql.ts', 'generated/gql.ts', 'generated/enums.ts'];
    const { errors, anys, seen } = checkSignatures(path.join(project.folder, 'tsconfig.json'), files);
    expect({ errors, anys }).toEqual({ errors: [], anys: [] });
    expect(seen).toBeGreaterThan(100);
  },
  slow,
);

test('the codes of errors are a type, by the configuration that their description names', () => {
  const codes = buildSchema(project.read('schema.graphql')).getType('ErrorCode') as GraphQLEnumType;
  const written = /^export type ErrorCode =([^]*?');$/m.exec(project.read('generated/enums.ts'))?.[1] ?? '';
  const words = new Set([...written.matchAll(/^ *\| '(\w+)'/gm)].map(([, word]) => word));
  expect(words).toEqual(new Set(codes.getValues().map(({ name }) => name)));
  const [configuration] = /\{ plugins: .*?\} \}/.exec(codes.description!)!;
  expect(project.read('codegen.ts')).toContain(configuration);
});

test('is what the journey sends', () => {
  expect(project.read('generated/graphql.ts')).toBe(
    readFileSync(projectFile('generated', 'dashboard', 'graphql.ts'), 'utf8'),
  );
});
