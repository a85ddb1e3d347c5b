// The facts about the serving process that the documentation pages show.
import type { RequestListener } from 'node:http';
import type { OpenAPIV3 } from 'openapi-types';

export interface DocsOptions {
  /** openapi.yaml, parsed, and the path of its text. */
  document: OpenAPIV3.Document;
  documentFile: string;
  /** The text of schema.graphql, and its path. */
  sdl: string;
  sdlFile: string;
  /** The version of the service, as in package.json. */
  version: string;
  signatureRequired: boolean;
  /** Both APIs, as the public listener serves them. The pages send their requests there. */
  apis: RequestListener;
  /** The URL of the public listener; null before it listens. */
  publicUrl(): string | null;
  /** The values with which the pages fill in their forms. */
  demo: DocsDemo;
}

export interface DocsDemo {
  key: { public: string; secret: string };
  login: { email: string; password: string };
  /** A shell command whose response is 200. */
  command(): string;
}
