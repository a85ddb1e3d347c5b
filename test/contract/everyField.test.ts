// A field that is added to an input and read nowhere must fail the compiler, wherever inputs are read.
import { readFileSync } from 'node:fs';
import { isInputObjectType } from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { sourceFiles } from '../support/sourceFiles.ts';
import { adminSchema } from '../support/adminSchema.ts';

const sources = sourceFiles()
  .map(({ text }) => text)
  .join('\n');

/** These inputs are never extended, or their reader removes the known fields and passes the rest on. */
const withoutGuard = [
  'LoginInput',
  'ResetPasswordInput',
  'UpdatePasswordInput',
  'CampaignTriggerFilterInput',
  'UserPropertyConditionInput',
  'VersionRangeInput',
  'NamedValue',
  'SessionNumber',
];

const isGuarded = (name: string) =>
  new RegExp(`(EveryField<\\s*|Required<)(Schemas\\['${name}'\\]|${name})[,>]`).test(sources);

test('every input of the admin API names its fields where it is read', () => {
  const types = Object.values(adminSchema().getTypeMap());
  const inputs = types.filter(isInputObjectType).map(({ name }) => name);
  expect(inputs.length).toBeGreaterThan(10);
  expect(inputs.filter((name) => !isGuarded(name) && !withoutGuard.includes(name))).toEqual([]);
});

test('every object of a request body of the public API does so', () => {
  const text = readFileSync(projectFile('openapi.yaml'), 'utf8');
  const { paths, components } = parse(text) as OpenAPIV3.Document;
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (names.has(name!)) continue;
      names.add(name!);
      collect(components!.schemas![name!]);
    }
  };
  for (const item of Object.values(paths)) collect(item?.post?.requestBody ?? {});
  const objects = [...names].filter((name) => 'properties' in (components!.schemas![name] as OpenAPIV3.SchemaObject));
  expect(objects).toContain('SessionEvent');
  expect(objects.filter((name) => !isGuarded(name) && !withoutGuard.includes(name))).toEqual([]);
});
