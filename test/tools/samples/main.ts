// `npm run samples`: writes the vectors into the samples of the documentation pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { readSignatureVectors, sampleFile, sampleLanguages, withVectors } from './samples.ts';

const vectors = readSignatureVectors();
for (const language of sampleLanguages) {
  const file = sampleFile(language);
  writeFileSync(file, withVectors(language, readFileSync(file, 'utf8'), vectors));
}
