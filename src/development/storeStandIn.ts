// The stand-in for the store that `npm run demo` announces in a file while it runs. Production names no such file.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hasCode } from '../platform/errors.ts';

/** The file's content. */
export interface StandIn {
  /** Its environments are below `/production` and `/sandbox`. */
  url: string;
  /** The root of what it signs: trusted by nobody else, and only while the file is there. */
  rootPem: string;
  /** Of the demo. */
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

/** Where to ask and whom to trust while a demo runs; null while none does. */
export async function standInServer(file: string): Promise<{ apiUrl: string; rootCertificates: Buffer[] } | null> {
  const standIn = await readStandIn(file);
  return standIn && { apiUrl: standIn.url, rootCertificates: [new X509Certificate(standIn.rootPem).raw] };
}
