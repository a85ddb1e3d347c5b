// Numbers of devices keep all their digits: what a double would change arrives as a marked text (schema.graphql, "Numbers").
import type { OperationContext } from 'urql';

// Of the private use area of Unicode, so that no word of a language begins with it.
const mark = '\u{E000}';
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const marked = /"\u{E000}(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"/gu;

export function markNumbers(json: string): string {
  return json.replace(token, (found) =>
    found.startsWith('"') || String(Number(found)) === found ? found : `"${mark}${found}"`,
  );
}

async function fetchExact(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const { status, statusText, headers } = response;
  return new Response(markNumbers(await response.text()), { status, statusText, headers });
}

/** For `useQuery({ context })` of a document that reads what devices sent. Show its values with `jsonText`. */
export const exactNumbers: Partial<OperationContext> = { fetch: fetchExact };

/** The JSON of a value with the digits that it arrived with. */
export const jsonText = (value: unknown): string => JSON.stringify(value).replace(marked, '$1');
