// (V) The service without its database: every check and the rows of every upload, but a writer that stores nothing.
import { createApp } from '../../../../src/app.ts';
import { composeDeps } from '../../../../src/compose/composeDeps.ts';
import type { AdminApi } from '../../../../src/graphql/adminApi.ts';
import { loadPublicContract } from '../../../../src/http/publicContract.ts';
import { operations } from '../../../../src/http/publicOperations.ts';
import { openDatabase } from '../../../../src/platform/database/database.ts';
import { listen } from '../../../../src/platform/httpServer/httpServer.ts';
import { createLog } from '../../../../src/platform/observability/log.ts';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import type { StoreBatch } from '../../../../src/sessions/writer/groupCommit.ts';
import { encryptionKey } from './benchDatabase.ts';
import { announce } from './forkedTarget.ts';

const log = createLog('warn');
const database = openDatabase({ url: process.argv[2]!, poolSize: 2, statementTimeoutMillis: 4_000, log });
const config = {
  encryptionKeys: [encryptionKey] as [Buffer],
  tokenKeys: [Buffer.alloc(32, 8)] as [Buffer],
  signatureRequired: false,
  ingestQueueUploads: 512,
  signup: 'open' as const,
};
const storeBatch: StoreBatch = async (uploads) => ({ outcomes: uploads.map(() => 'stored'), eventsInserted: 0 });
const deps = composeDeps({ config, database, log, storeBatch });
const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
const noAdmin = {
  handler: (_request, response) => void response.end(),
  stop: async () => {},
} satisfies AdminApi;
const app = createApp({ contract, admin: noAdmin }, deps);
const listener = await listen(app, { port: 0, host: '127.0.0.1' });
announce(listener.url);
