// Reads the configured root certificates of the store: files in PEM (one or several certificates) or DER.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface RootCertificates {
  /** In DER. */
  certificates: Buffer[];
  /** Files that do not exist. */
  missing: string[];
}

/** Throws one error that names every file that exists and is unusable: the wrong file was configured. */
export async function readRootCertificates(files: string[]): Promise<RootCertificates> {
  const read = await Promise.allSettled(files.map(readOne));
  const refused = read.flatMap((result, index) =>
    result.status === 'rejected' ? { file: files[index]!, error: result.reason as NodeJS.ErrnoException } : [],
  );
  const isMissing = ({ error }: { error: NodeJS.ErrnoException }): boolean => error.code === 'ENOENT';
  const problems = refused.filter((each) => !isMissing(each)).map(({ file, error }) => `  ${file}: ${error.message}`);
  if (problems.length > 0) throw new Error(`STORE_ROOT_CERTIFICATES cannot be used:\n${problems.join('\n')}`);
  const certificates = read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  return { certificates, missing: refused.filter(isMissing).map(({ file }) => file) };
}

async function readOne(file: string): Promise<Buffer[]> {
  const bytes = await readFile(file);
  const blocks = bytes.toString('latin1').match(pem) ?? [bytes];
  return blocks.map((block) => {
    const certificate = new X509Certificate(block);
    if (!certificate.ca) throw new Error(`${certificate.subject} is no certificate authority`);
    return certificate.raw;
  });
}
