// `npm run samples`: writes the vectors into the samples of the documentation pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { goesOn } from '../../../src/platform/commandLine.ts';
import { readSignatureVectors, sampleFile, sampleLanguages, withVectors } from './samples.ts';

const usage = `Usage: npm run samples

Writes the vectors of test/vectors/signature.json into the samples of the documentation pages.
`;

if (goesOn(usage)) {
  const vectors = readSignatureVectors();
  for (const language of sampleLanguages) {
    const file = sampleFile(language);
    writeFileSync(file, withVectors(language, readFileSync(file, 'utf8'), vectors));
  }
}
