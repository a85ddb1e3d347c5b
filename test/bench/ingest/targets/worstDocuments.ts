// The documents that cost the admin API most among those it accepts from somebody without a login (docs/security/strangers.md).

export interface Sent {
  query: string;
  variables?: Record<string, unknown>;
}

const repeat = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

/** By name. `at` makes each one new, so that no store of documents knows it. */
export const worstDocuments: Record<string, (at: number) => Sent> = {
  /** 15 aliases are the most, and each gives 249 countries. */
  countries: (at) => ({
    query: `{ ${repeat(15, (alias) => `a${alias}: countries { code name __typename }`)} } # ${at}`,
  }),
  /** Almost 1,000 pairs of one field. */
  pairs: (at) => ({ query: `{ ${repeat(26, () => 'countries { code name }')} } # ${at}` }),
  /** As many fragments at one place as there may be. */
  fragments: (at) => ({
    query: `{ ${repeat(31, (fragment) => `...F${fragment}`)} } ${repeat(31, (fragment) => `fragment F${fragment} on Query { x${fragment} }`)} # ${at}`,
  }),
  /** Each error counts the lines before it. */
  lines: (at) => ({ query: `{ id ${'\n'.repeat(1_900)} ${repeat(900, (field) => `x${field}`)} } # ${at}` }),
  operations: (at) => ({ query: `${repeat(50, (name) => `query Q${name} { countries { code } }`)} # ${at}` }),
  /** Twenty faults end the reading of the variables. */
  variables: (at) => ({
    query: `mutation L($i: LoginInput!) { login(input: $i) { token } } # ${at}`,
    variables: { i: Object.fromEntries(Array.from({ length: 8_000 }, (_, field) => [`k${field}`, 1])) },
  }),
  /** The longest body of one comment. */
  comment: (at) => ({ query: `{ id } # ${'x'.repeat(99_000)} ${at}` }),
};
