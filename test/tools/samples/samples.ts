// The samples of the documentation pages: writes the vectors of test/vectors/signature.json into each, in its language.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../../src/platform/projectRoot.ts';

export interface SignatureVector {
  secretKey: string;
  publicKey: string;
  timestamp: string;
  nonce: string;
  bodyBase64: string;
  signature: string;
}

/** How a row of a list begins and ends in each language. */
const rows = { py: ['    (', '),'], kt: ['    listOf(', '),'], swift: ['    [', '],'] } as const;

export type SampleLanguage = keyof typeof rows;
export const sampleLanguages = Object.keys(rows) as SampleLanguage[];
export const sampleFile = (language: SampleLanguage): string =>
  projectFile('src', 'ops', 'docs', 'samples', `upload.${language}`);

export function readSignatureVectors(): SignatureVector[] {
  const text = readFileSync(projectFile('test', 'vectors', 'signature.json'), 'utf8');
  return (JSON.parse(text) as { vectors: SignatureVector[] }).vectors;
}

/** Throws where a sample has no place for the vectors. */
export function withVectors(language: SampleLanguage, sample: string, vectors: SignatureVector[]): string {
  const place = /((?:VECTORS|vectors)\b[^\n]*[[(]\n).*?(\n?[\])]\n(?:#|\/\/) The vectors end\.)/s;
  if (!place.test(sample)) throw new Error(`the sample in ${language} has no place for the vectors`);
  const [start, end] = rows[language];
  const lines = vectors.map((vector) => `${start}${valuesOf(vector).map(quoted).join(', ')}${end}`);
  return sample.replace(place, (_whole, before: string, after: string) => {
    return `${before}${lines.join('\n')}\n${after.trimStart()}`;
  });
}

export function valuesOf({ secretKey, publicKey, timestamp, nonce, bodyBase64, signature }: SignatureVector): string[] {
  return [secretKey, publicKey, timestamp, nonce, bodyBase64, signature];
}

/** All three languages take a plain text in double quotes. */
function quoted(value: string): string {
  if (/[^\w=+/.-]/.test(value)) throw new Error(`${value} needs more than quotes`);
  return `"${value}"`;
}
