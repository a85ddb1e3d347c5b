// What the documentation pages are told about the process that serves them.
import type { RequestListener } from 'node:http';
import type { OpenAPIV3 } from 'openapi-types';

export interface DocsOptions {
  /** openapi.yaml, parsed, and the path of its text. */
  document: OpenAPIV3.Document;
  documentFile: string;
  /** The text of schema.graphql, and its path. */
  sdl: string;
  sdlFile: string;
  /** Of this service, as in package.json. */
  version: string;
  signatureRequired: boolean;
  /** Both APIs, as the public listener serves them: where requests from the pages go. */
  apis: RequestListener;
  /** Address of the public listener; null before it listens. */
  publicUrl(): string | null;
  /** To fill the pages in with. */
  demo: DocsDemo;
}

export interface DocsDemo {
  key: { public: string; secret: string };
  login: { email: string; password: string };
  /** A command for a shell that is answered 200. */
  command(): string;
}
