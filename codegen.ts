// Contract 2 to types: schema.graphql → generated/graphql.ts. Run by `npm run generate`, never at run time.
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
        defaultScalarType: 'unknown',
        scalars: {
          UUID: 'string',
          DateTime: { input: 'Date', output: 'Date' },
          JSON: 'unknown',
        },
      },
    },
  },
};

export default config;
