// Configures codegen's client preset: it generates types from schema.graphql and a dashboard's documents.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'documents/*.graphql',
  generates: {
    'generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        skipTypename: true,
        strictScalars: true,
        // A variable that is a list takes a list alone, as gql.tada types it.
        arrayInputCoercion: false,
        importExtension: '.ts',
        scalars: { UUID: 'string', DateTime: 'string', Date: 'string', JSON: 'unknown' },
      },
    },
    // The preset generates only types that the documents use. No document can use `ErrorCode`, the codes in `extensions`.
    'generated/enums.ts': { plugins: ['typescript'], config: { onlyEnums: true, enumsAsTypes: true } },
  },
};

export default config;
