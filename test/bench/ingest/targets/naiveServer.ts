// (N) The naive reference: Express and a pool, the same contract and signature, one transaction per upload.
import express, { type NextFunction, type Request, type Response } from 'express';
import pg from 'pg';
import { loadPublicContract } from '../../../../src/http/publicContract.ts';
import { operations } from '../../../../src/http/publicOperations.ts';
import { verifySignature } from '../../../../src/platform/signature.ts';
import { createEncryption } from '../../../../src/platform/encryption.ts';
import { listen } from '../../../../src/platform/httpServer/httpServer.ts';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import { findApplicationByKey } from '../../../../src/workspace/applicationDirectory.ts';
import type { SessionReport } from '../uploads.ts';
import { encryptionKey } from './benchDatabase.ts';
import { announce } from './forkedTarget.ts';
import { storeNaively } from './naiveStore.ts';

const pool = new pg.Pool({ connectionString: process.argv[2]!, max: 10 });
const encryption = createEncryption(encryptionKey);
const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
const { body: schema } = contract.match('POST', '/api/v1/session')!;
const rawBodies = new WeakMap<object, Buffer>();

async function handle(request: Request, response: Response): Promise<void> {
  const application = await findApplicationByKey(pool, encryption, request.get('X-Api-Key') ?? '');
  if (!application) return void response.status(404).json({ detail: 'Application not found' });
  const signature = verifySignature({
    headers: request.headers,
    body: rawBodies.get(request)!,
    key: application.key,
    required: false,
    now: new Date(),
  });
  if (!schema!.isValid(request.body)) return void response.status(422).json(schema!.faultsOf(request.body).fields);
  const stored = await storeNaively(pool, {
    report: request.body as SessionReport,
    applicationId: application.id,
    signature,
  });
  response.status(stored ? 200 : 403).json({});
}

const app = express();
app.use(express.json({ limit: '2mb', verify: (request, _response, bytes) => void rawBodies.set(request, bytes) }));
app.post('/api/v1/session', (request: Request, response: Response, next: NextFunction) => {
  handle(request, response).catch(next);
});
const listener = await listen(app as Parameters<typeof listen>[0], { port: 0, host: '127.0.0.1' });
announce(listener.url);
