// Checks before a run that the service is there.

/** Throws an error that says what to do. */
export async function requireService(baseUrl: string): Promise<void> {
  const result = await ask(`${baseUrl}/`);
  if (!result.includes('Not Found')) throw new Error(`${baseUrl} answers, but it is not this service.`);
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    return await response.text();
  } catch {
    throw new Error(`No service answers at ${new URL(url).origin}: start it with npm start.`);
  }
}
