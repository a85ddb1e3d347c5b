// What orval generates from the contract: types and one function for each operation, all of which send by request.ts.
import { defineConfig } from 'orval';

export default defineConfig({
  publicApi: {
    input: 'openapi.yaml',
    output: {
      target: 'client.ts',
      client: 'fetch',
      headers: true,
      override: { mutator: { path: 'request.ts', name: 'request' } },
    },
  },
});
