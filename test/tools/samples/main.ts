// `npm run samples`: writes the vectors into the samples of the documentation pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { goesOn } from '../../../src/platform/commandLine.ts';
import { readSignatureVectors, sampleFile, sampleLanguages, withVectors } from './samples.ts';
import { usageOf } from '../usage.ts';

const usage = usageOf('test/tools/samples');

if (goesOn(usage)) {
  const vectors = readSignatureVectors();
  for (const language of sampleLanguages) {
    const file = sampleFile(language);
    writeFileSync(file, withVectors(language, readFileSync(file, 'utf8'), vectors));
  }
}
