// Reads the file by which `npm run demo` announces its store while it runs. Production configures no such file.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hasCode } from '../platform/errors.ts';

/** The file's content. */
export interface StandIn {
  /** The store's environments are below `/production` and `/sandbox`. */
  url: string;
  /** The root certificate of its signatures. Only this service trusts it, and only while the file exists. */
  rootPem: string;
  /** The process id of the demo. */
  pid: number;
}

export async function readStandIn(file: string): Promise<StandIn | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StandIn;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The store's URL and its root certificate while a demo runs; null otherwise. */
export async function standInServer(file: string): Promise<{ apiUrl: string; rootCertificates: Buffer[] } | null> {
  const standIn = await readStandIn(file);
  return standIn && { apiUrl: standIn.url, rootCertificates: [new X509Certificate(standIn.rootPem).raw] };
}
