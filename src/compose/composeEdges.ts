// Opens the contracts that this process serves and builds their edges, and the documentation.
import type { RequestListener } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { createApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { DemoWorkspace } from '../development/demoWorkspace.ts';
import type { AdminApi, AdminApiOptions } from '../graphql/adminApi.ts';
import { loadPublicContract } from '../http/publicContract.ts';
import type { DashboardPage } from '../http/dashboard/dashboardPage.ts';
import { operations } from '../http/publicOperations.ts';
import type { DocsOptions } from '../ops/docs/page.ts';
import { projectFile, version } from '../platform/projectRoot.ts';

export interface ComposedEdges {
  app: RequestListener;
  /** Null in production, and in a process that does not serve both contracts. */
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
const dashboardFolder = projectFile('dist', 'dashboard');

export async function composeEdges(options: EdgesOptions): Promise<ComposedEdges> {
  const { production, serves, trustedProxies, dashboardOrigins, servesDashboard } = options.config;
  const sdl = await readFile(sdlFile, 'utf8');
  const contract = serves.publicApi ? await loadPublicContract(documentFile, Object.keys(operations)) : null;
  const admin = serves.adminApi ? await openAdminApi({ sdl, production, deps: options.deps }) : null;
  const dashboard = servesDashboard && admin ? await openDashboard() : undefined;
  const app = createApp({ contract, admin, trustedProxies, dashboardOrigins, dashboard }, options.deps);
  const docs = contract && admin ? await composeDocs(options, { document: contract.document, sdl, apis: app }) : null;
  return { app, docs, stop: async () => admin?.stop() };
}

/** Loaded only where they are served: Apollo takes 26 MiB, and the collector goes through its part of the heap. */
async function openAdminApi(options: AdminApiOptions): Promise<AdminApi> {
  const { createAdminApi } = await import('../graphql/adminApi.ts');
  return createAdminApi(options);
}

async function openDashboard(): Promise<DashboardPage> {
  const { loadDashboard } = await import('../http/dashboard/dashboardPage.ts');
  return loadDashboard(dashboardFolder);
}

type Served = Pick<DocsOptions, 'document' | 'sdl' | 'apis'>;

/**
 * Pages for developers, with the keys of the demo, in a process that serves both contracts. Production has neither
 * (docs/decisions/documentation-pages.md).
 */
async function composeDocs({ config, demo, publicUrl }: EdgesOptions, served: Served): Promise<RequestHandler | null> {
  const { production, signatureRequired } = config;
  if (production || !demo) return null;
  const { createDocs } = await import('../ops/docs/docs.ts');
  const { sampleCommand } = await import('../development/welcome.ts');
  const command = () => sampleCommand({ url: publicUrl() ?? '', demo, signed: signatureRequired, now: new Date() });
  return createDocs({
    ...served,
    documentFile,
    sdlFile,
    version,
    signatureRequired,
    publicUrl,
    demo: { key: demo.key, login: demo.login, command },
  });
}
