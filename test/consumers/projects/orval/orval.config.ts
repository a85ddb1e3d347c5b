// Configures orval: it generates types and one function per operation from openapi.yaml; all functions send through request.ts.
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
