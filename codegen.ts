// From schema.graphql to types: generated/graphql.ts for the resolvers, and generated/dashboard/ for the documents of
// test/dashboard, as a dashboard team would generate them. `npm run generate` runs it; the service never does.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: './schema.graphql',
  generates: {
    'generated/graphql.ts': {
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
          Organization: '../src/workspace/caller.ts#SeenOrganization',
          Project: '../src/workspace/caller.ts#SeenProject',
          Application: '../src/workspace/caller.ts#SeenApplication',
          ApiKey: '../src/workspace/caller.ts#SeenApiKey',
          Campaign: '../src/campaigns/campaignFields.ts#SeenCampaign',
          Device: '../src/devices/device.ts#SeenDevice',
          DeviceSession: '../src/sessions/read/deviceSessionsStore.ts#SessionRecord',
        },
        scalars: {
          UUID: 'string',
          DateTime: { input: 'Date', output: 'Date' },
          Date: 'string',
          JSON: 'unknown',
        },
      },
    },
    'generated/dashboard/': {
      preset: 'client',
      documents: 'test/dashboard/*.graphql',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        skipTypename: true,
        strictScalars: true,
        // A variable that is a list takes a list alone, as gql.tada types it.
        arrayInputCoercion: false,
        importExtension: '.ts',
        // As JSON carries them.
        scalars: { UUID: 'string', DateTime: 'string', Date: 'string', JSON: 'unknown' },
      },
    },
  },
};

export default config;
