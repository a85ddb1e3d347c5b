// Sends again what a busy machine refuses, as every client does.

/** Of a request that the service may take only later: resolves to the first response without status 503. */
export async function retried<Result extends { status: number }>(send: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
  }
}
