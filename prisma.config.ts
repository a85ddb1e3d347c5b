// For Prisma's command line only (`prisma generate`); the service reads its environment in src/config.ts.
import { defineConfig } from 'prisma/config';

// `prisma generate` would download the schema engine's binary and never run it: any existing file stands in for it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

const url = process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url === undefined || url === '' ? {} : { datasource: { url } }),
});
