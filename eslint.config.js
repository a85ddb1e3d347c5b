// Rules beyond the compiler's: mostly about promises nobody awaits and errors nobody sees. And those of contract 2's document.
import graphql from '@graphql-eslint/eslint-plugin';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'generated/', 'node_modules/', '.data*/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/require-await': 'off',
      // Deps are records of closures: their members are handed on by themselves all the time.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-params': ['error', 3],
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', 40],
    },
  },
  {
    // Express knows an error handler by its four parameters.
    files: ['src/graphql/requestBody.ts'],
    rules: { 'max-params': ['error', 4] },
  },
  {
    // Compiled, and looked through for `any`, by test/consumers once what they import has been generated.
    files: ['test/consumers/projects/**'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  {
    files: ['test/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // House rule: one file reads the environment, and the entry of each program hands it over.
    files: ['src/**'],
    ignores: ['src/main.ts', 'src/programs/runProgram.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only an entry point reads the environment, through readConfig.',
        },
      ],
    },
  },
  {
    // Contract 2. All rules for schemas, but for those that want what the requirement has otherwise.
    files: ['schema.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: './schema.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-all'].rules,
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
        },
      ],
      // The order of fields is the requirement's, and that of states and error codes has a meaning.
      '@graphql-eslint/alphabetize': 'off',
      // A sentence stands on one line where it fits, and a text that has several is a block.
      '@graphql-eslint/description-style': 'off',
      // The requirement and the contract give the arguments of mutations: `token`, `id`, `applicationId`, `public`.
      '@graphql-eslint/input-name': 'off',
      // The rule is for schemas that only read; this one has mutations by requirement.
      '@graphql-eslint/no-root-type': 'off',
      // Six mutations answer `Boolean!` and the others the object itself, without a payload around it: as they are given.
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'off',
      '@graphql-eslint/require-field-of-type-query-in-mutation-result': 'off',
      '@graphql-eslint/require-nullable-result-in-root': 'off',
      // `ErrorCode` has no field on purpose; test/contract/descriptions.test.ts holds that it is the only such type.
      '@graphql-eslint/no-unreachable-types': 'off',
      // Ids are `UUID!` or the SDK's own texts, and users are known by their e-mail address.
      '@graphql-eslint/strict-id-in-types': 'off',
    },
  },
);
