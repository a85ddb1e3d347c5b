// Sends again what a busy machine refuses, as every client does.

/** Of a request that the service may take only later: resolves to the first response without status 503. */
export async function retried<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}
