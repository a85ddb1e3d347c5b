// Before the devices start: is there a service, and does it know the key?

/** Throws with the remedy. */
export async function requireService(baseUrl: string): Promise<void> {
  const answer = await ask(`${baseUrl}/`, {});
  if (!answer.includes('Not Found')) throw new Error(`${baseUrl} answers, but it is not this service.`);
}

export async function requireKey(baseUrl: string, publicKey: string): Promise<void> {
  const answer = await ask(`${baseUrl}/api/v1/campaigns`, { 'X-Api-Key': publicKey });
  if (!answer.includes('Application not found')) return;
  throw new Error(
    `The service at ${baseUrl} does not know the key ${publicKey}. Run the demo with the same DATABASE_URL or DATA_DIR as the service, or give --key and --secret.`,
  );
}

async function ask(url: string, headers: Record<string, string>): Promise<string> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    return await response.text();
  } catch {
    throw new Error(`No service answers at ${new URL(url).origin}: start it with npm start.`);
  }
}
