// Configures @hey-api/openapi-ts: it generates types, one function per operation, and a fetch client from openapi.yaml.
import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: 'openapi.yaml',
  output: { path: 'client', module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
});
