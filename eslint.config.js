// Rules beyond the compiler's: mostly about promises nobody awaits and errors nobody sees.
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
    // House rule: one file reads the environment, and the two processes' entries hand it over.
    files: ['src/**'],
    ignores: ['src/main.ts', 'src/demo/main.ts', 'src/migrate.ts', 'src/distribute.ts'],
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
);
