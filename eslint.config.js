// Rules beyond the compiler's, mostly about promises without an await and errors that get lost.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'generated/', 'node_modules/', '.data*/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/require-await': 'off',
      // Deps are records of closures: their members are handed on by themselves all the time.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    // Their packages are elsewhere. generate:check compiles codegen.ts; test/consumers compiles its projects, and looks
    // through them for `any`, once what they import has been generated.
    files: ['codegen.ts', 'test/consumers/projects/**'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  {
    // The page runs in a browser. What is global in Node as well comes from the types of its tests.
    files: ['src/dashboard/**'],
    ignores: ['src/dashboard/**/*.test.ts'],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'require', '__dirname'] },
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
);
