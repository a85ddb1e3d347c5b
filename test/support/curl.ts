// Parses the curl command that the service prints, so that tests send the same request as a newcomer.
export interface CurlCommand {
  url: string;
  /** Names are in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Understands `-H '…'` and `-d '…'`, and throws when the text contains no such command. */
export function parseCurl(text: string): CurlCommand {
  const url = /^curl -i (\S+) /m.exec(text)?.[1];
  const body = /-d '([^']*)'/.exec(text)?.[1];
  if (url === undefined || body === undefined) throw new Error(`no curl command in:\n${text}`);
  const headers = [...text.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name, value]) => [name!.toLowerCase(), value]);
  return { url, headers: Object.fromEntries(headers) as Record<string, string>, body };
}

export async function sendCurl({ url, headers, body }: CurlCommand): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}
