// (S) The service, while eight connections without a login send it the worst documents that it accepts.
import { postAdmin } from '../../../support/adminClient.ts';
import { startApart, type ServiceOptions } from './serviceTarget.ts';
import type { Target } from './target.ts';
import { worstDocuments } from './worstDocuments.ts';

const connections = 8;

/** Each request comes from another network address: the bound on one address is not what is measured. */
export async function startWithStrangers(options: ServiceOptions, say: (line: string) => void): Promise<Target> {
  const target = await startApart({ ...options, env: { TRUSTED_PROXIES: '1' } });
  return { ...target, during: () => sendOnAndOn(target.adminUrl, say) };
}

/** Each connection sends its next document when it has the response to the last one. Returns what ends them. */
function sendOnAndOn(url: string, say: (line: string) => void): () => Promise<void> {
  const documents = Object.values(worstDocuments);
  let ended = false;
  let sent = 0;
  const client = async (): Promise<void> => {
    while (!ended) {
      const at = sent++;
      const headers = { 'X-Forwarded-For': `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}` };
      const response = await postAdmin(url, { ...documents[at % documents.length]!(at), headers });
      await response.text();
      if (response.status >= 429) throw new Error(`the response to a stranger is ${response.status}`);
    }
  };
  const begun = performance.now();
  const all = Promise.all(Array.from({ length: connections }, client));
  // Its failure is thrown by the end.
  all.catch(() => undefined);
  return async () => {
    ended = true;
    await all;
    say(`strangers: ${((sent / (performance.now() - begun)) * 1_000).toFixed(1)} documents a second`);
  };
}
