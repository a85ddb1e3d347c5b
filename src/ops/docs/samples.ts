// The samples that sign and send an upload, in three languages. The page shows them with this process's URL and keys.
import { readFile } from 'node:fs/promises';
import { projectFile } from '../../platform/projectRoot.ts';

const languages = [
  ['swift', 'Swift'],
  ['kt', 'Kotlin'],
  ['py', 'Python'],
] as const;

export interface Sample {
  language: string;
  text: string;
}

export interface SampleValues {
  baseUrl: string;
  key: { public: string; secret: string };
}

/** Throws when a file is missing: at the start, not at the first visit. */
export async function loadSamples(): Promise<Sample[]> {
  return await Promise.all(
    languages.map(async ([ending, language]) => {
      const file = projectFile('src', 'ops', 'docs', 'samples', `upload.${ending}`);
      return { language, text: await readFile(file, 'utf8') };
    }),
  );
}

export function fillSample(text: string, { baseUrl, key }: SampleValues): string {
  return text
    .replace('"http://localhost:8080"', `"${baseUrl}"`)
    .replace('"pub_…"', `"${key.public}"`)
    .replace('"sec_…"', `"${key.secret}"`);
}
