// Shared by the tests of lists by cursor: walks through all pages of a list of purchases.
import type { TestUser } from './testUsers.ts';

export type ListOfPurchases = 'entitlements' | 'storeTransactions';

type Arguments = Record<string, string | number | boolean | null>;

interface PageShown {
  nodes: { id: string }[];
  endCursor: string | null;
  hasMore: boolean;
}

const types: Record<string, string> = {
  ...{ applicationId: 'UUID!', externalId: 'String', deviceId: 'String', active: 'Boolean', limit: 'Int' },
  ...{ after: 'String', state: 'StoreTransactionState', productId: 'String', from: 'DateTime', to: 'DateTime' },
};

export function listQuery(list: ListOfPurchases, names: string[], nodes = 'id'): string {
  const declared = names.map((name) => `$${name}: ${types[name]}`).join(', ');
  const passed = names.map((name) => `${name}: $${name}`).join(', ');
  return `query L(${declared}) { ${list}(${passed}) { nodes { ${nodes} } endCursor hasMore } }`;
}

export async function askPage(user: TestUser, list: ListOfPurchases, args: Arguments): Promise<PageShown> {
  const { data, errors } = await user.ask(listQuery(list, Object.keys(args)), args);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return data![list] as PageShown;
}

/** The ids on all pages, in their order. `between` runs before each page but the first. */
export async function walkPages(
  user: TestUser,
  { list, ...args }: Arguments & { list: ListOfPurchases },
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const found: string[] = [];
  let page = await askPage(user, list, args);
  found.push(...page.nodes.map(({ id }) => id));
  while (page.hasMore) {
    await between();
    page = await askPage(user, list, { ...args, after: page.endCursor });
    found.push(...page.nodes.map(({ id }) => id));
  }
  return found;
}
