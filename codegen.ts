// From schema.graphql to types: generated/graphql.ts for the resolvers, generated/screens/ for the documents of the
// dashboard's screens, and generated/dashboard/ for those of test/dashboard, as a dashboard team would generate them.
// `npm run generate` runs it in test/contractTools, where its plug-ins are; the service never does.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { CodegenConfig } from '@graphql-codegen/cli';

/** A path of the project, whatever folder the generator runs in. */
const own = (name: string): string => `${import.meta.dirname}/${name}`;

const client = (documents: string) => ({
  preset: 'client' as const,
  documents,
  presetConfig: { fragmentMasking: false },
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    skipTypename: true,
    strictScalars: true,
    // A variable that is a list takes a list alone, as gql.tada types it.
    arrayInputCoercion: false,
    importExtension: '.ts' as const,
    // As JSON carries them.
    scalars: { UUID: 'string', DateTime: 'string', Date: 'string', JSON: 'unknown' },
  },
});

/** An output for each folder with documents, so that a screen loads its own alone. */
function screens() {
  const files = readdirSync(own('src/dashboard'), { recursive: true, encoding: 'utf8' });
  const folders = new Set(files.filter((name) => name.endsWith('.graphql')).map((name) => path.posix.dirname(name)));
  return Object.fromEntries(
    [...folders]
      .sort()
      .map((folder) => [
        own(`generated/screens/${path.basename(folder)}/`),
        client(own(`src/dashboard/${folder}/*.graphql`)),
      ]),
  );
}

const config: CodegenConfig = {
  schema: own('schema.graphql'),
  generates: {
    [own('generated/graphql.ts')]: {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        contextType: '../src/graphql/context.ts#AdminContext',
        useTypeImports: true,
        enumsAsTypes: true,
        skipTypename: true,
        strictScalars: true,
        makeResolverTypeCallable: true,
        defaultScalarType: 'unknown',
        // What the operations answer where it is not the contract's type itself: the rest is fetched field by field.
        mappers: {
          Organization: '../src/workspace/workspace.ts#ViewedOrganization',
          Project: '../src/workspace/workspace.ts#ViewedProject',
          Application: '../src/workspace/workspace.ts#ViewedApplication',
          ApiKey: '../src/workspace/workspace.ts#ViewedApiKey',
          Campaign: '../src/campaigns/campaignFields.ts#SeenCampaign',
          Device: '../src/devices/device.ts#SeenDevice',
          DeviceSession: '../src/sessions/read/deviceSessions.ts#SessionRecord',
        },
        scalars: {
          UUID: 'string',
          DateTime: { input: 'Date', output: 'Date' },
          Date: 'string',
          JSON: 'unknown',
        },
      },
    },
    [own('generated/dashboard/')]: client(own('test/dashboard/*.graphql')),
    [own('generated/screens/enums.ts')]: { plugins: ['typescript'], config: { onlyEnums: true, enumsAsTypes: true } },
    ...screens(),
  },
};

export default config;
