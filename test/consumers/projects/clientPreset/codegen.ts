// What codegen's client preset generates from the SDL and a dashboard's documents.
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
        importExtension: '.ts',
        scalars: { UUID: 'string', DateTime: 'string', JSON: 'unknown' },
      },
    },
    // The preset generates what the documents use; no document can use `ErrorCode`, the codes of `extensions`.
    'generated/enums.ts': { plugins: ['typescript'], config: { onlyEnums: true, enumsAsTypes: true } },
  },
};

export default config;
