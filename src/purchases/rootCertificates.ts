// Reads the configured root certificates of the store: files in PEM (one or several certificates) or DER.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Gives DER. Throws one error that names every unusable file. */
export async function readRootCertificates(files: string[]): Promise<Buffer[]> {
  const read = await Promise.allSettled(files.map(readOne));
  const problems = read.flatMap((result, index) =>
    result.status === 'rejected' ? `  ${files[index]}: ${(result.reason as Error).message}` : [],
  );
  if (problems.length > 0) throw new Error(`STORE_ROOT_CERTIFICATES cannot be used:\n${problems.join('\n')}`);
  return read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
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
