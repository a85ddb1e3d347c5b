// Opens both contracts and builds what serves them, with their documentation, the same for every role of the process.
import type { RequestListener } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import { createAdminApi } from './graphql/adminApi.ts';
import { loadPublicContract } from './http/contract.ts';
import { operations } from './http/operations.ts';
import { createDocs } from './ops/docs/docs.ts';
import { projectFile } from './platform/projectRoot.ts';
import { sampleCommand } from './welcome.ts';
import type { DemoWorkspace } from './workspace/demoWorkspace.ts';

export interface ComposedEdges {
  app: RequestListener;
  /** Null where only jobs run. */
  docs: RequestHandler | null;
  /** Refuses new operations of the admin API. */
  stop(): Promise<void>;
}

export interface EdgesOptions {
  config: Config;
  deps: Deps;
  demo: DemoWorkspace | null;
  /** Null before the public listener listens. */
  publicUrl(): string | null;
}

const documentFile = projectFile('openapi.yaml');
const sdlFile = projectFile('schema.graphql');

export async function composeEdges(options: EdgesOptions): Promise<ComposedEdges> {
  const { production, role, trustedProxies, dashboardOrigins, signatureRequired } = options.config;
  const sdl = await readFile(sdlFile, 'utf8');
  const contract = await loadPublicContract(documentFile, Object.keys(operations));
  const admin = await createAdminApi({ sdl, production, deps: options.deps });
  const app = createApp({ contract, admin, trustedProxies, dashboardOrigins }, options.deps);
  const docs =
    role === 'worker'
      ? null
      : await createDocs({
          document: contract.document,
          documentFile,
          sdl,
          sdlFile,
          version: await readVersion(),
          production,
          signatureRequired,
          apis: app,
          publicUrl: options.publicUrl,
          demo: describeDemo(options),
        });
  return { app, docs, stop: () => admin.stop() };
}

function describeDemo({ config, demo, publicUrl }: EdgesOptions) {
  if (!demo) return null;
  const { key, login } = demo;
  const signed = config.signatureRequired;
  const command = () => sampleCommand({ url: publicUrl() ?? '', demo, signed, now: new Date() });
  return { key, login, command };
}

async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(projectFile('package.json'), 'utf8')) as { version: string };
  return version;
}
