// Admits a document in this order: its limits, who is asking, then validation. A stranger's document of protected fields ends at the second.
import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { GraphQLError, specifiedRules, validate, type DocumentNode, type ValidationRule } from 'graphql';
import { assertCaller } from './authentication.ts';
import type { AdminContext } from './context.ts';
import { overLimits } from './limits.ts';

type Resolved = GraphQLRequestContextDidResolveOperation<AdminContext>;

/** Apollo takes one error here. `didEncounterErrors` puts these in its place. */
class Refused extends GraphQLError {
  readonly all: GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The document is not valid.', { extensions: invalid });
    // Not new errors: each counts the lines of the document before it.
    this.all = errors.map((error) => Object.assign(error, { extensions: { ...invalid } }));
  }
}

/** A dozen errors show what is wrong, and each one costs some 0.1 ms. */
const mostErrors = 20;
const invalid = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };

export interface AdmissionOptions {
  rules: readonly ValidationRule[];
  hideSuggestions: boolean;
}

/** Apollo itself validates nothing: it would validate before this file can ask who sent the document. */
export function admission({ rules, hideSuggestions }: AdmissionOptions): ApolloServerPlugin<AdminContext> {
  /** Documents that the store of documents hands out again. */
  const valid = new WeakSet<DocumentNode>();
  async function admit(resolved: Resolved): Promise<void> {
    const { schema, document } = resolved;
    const fault = valid.has(document) ? null : overLimits(document);
    if (fault) throw new Refused([fault]);
    await assertCaller(resolved);
    if (valid.has(document)) return;
    const errors = validate(schema, document, [...specifiedRules, ...rules], {
      hideSuggestions,
      maxErrors: mostErrors,
    });
    if (errors.length > 0) throw new Refused(errors);
    valid.add(document);
  }
  return {
    requestDidStart: async () => ({
      didResolveOperation: admit,
      didEncounterErrors: async ({ errors }) => {
        const [refused] = errors;
        if (refused instanceof Refused) (errors as GraphQLError[]).splice(0, 1, ...refused.all);
      },
    }),
  };
}
