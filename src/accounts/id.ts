// query id: the caller's user id, or null (also for a service token, which is no user), by which a dashboard learns cheaply whether its user is still logged in.
import type { Caller } from '../workspace/workspace.ts';

export async function id(
  _args: unknown,
  { authenticate }: { authenticate(): Promise<Caller | null> },
): Promise<string | null> {
  const caller = await authenticate();
  return caller && !caller.service ? caller.userId : null;
}
