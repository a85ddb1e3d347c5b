// Admits an operation in this order: the limits of its document, who is asking, validation, then the variables.
import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { GraphQLError, specifiedRules, validate, type DocumentNode, type ValidationRule } from 'graphql';
import { assertCaller } from './authentication.ts';
import type { AdminContext } from './context.ts';
import { overLimits } from './limits.ts';
import { refusedVariables } from './refusedArguments.ts';

type Resolved = GraphQLRequestContextDidResolveOperation<AdminContext>;

/** Apollo takes one error here. `didEncounterErrors` puts these in its place. */
class Refused extends GraphQLError {
  readonly all: readonly GraphQLError[];

  constructor(all: readonly GraphQLError[]) {
    super('The operation is refused.', { extensions: invalid });
    this.all = all;
  }
}

/** A dozen errors show what is wrong, and each one costs some 0.1 ms. */
const mostErrors = 20;
const http = { status: 400 };
const invalid = { code: 'GRAPHQL_VALIDATION_FAILED', http };

/** Not new errors: each counts the lines of the document before it. */
const asInvalid = (errors: readonly GraphQLError[]): GraphQLError[] =>
  errors.map((error) => Object.assign(error, { extensions: { ...invalid } }));

export interface AdmissionOptions {
  rules: readonly ValidationRule[];
  hideSuggestions: boolean;
}

/** Apollo itself validates nothing: it would validate before this file can ask who sent the document. */
export function admission(options: AdmissionOptions): ApolloServerPlugin<AdminContext> {
  /** Documents that the store of documents hands out again. */
  const valid = new WeakSet<DocumentNode>();
  async function admit(resolved: Resolved): Promise<void> {
    const { document } = resolved;
    const fault = valid.has(document) ? null : overLimits(document);
    if (fault) throw new Refused(asInvalid([fault]));
    await assertCaller(resolved);
    if (!valid.has(document)) {
      assertValid(resolved, options);
      valid.add(document);
    }
    assertVariables(resolved);
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

function assertValid({ schema, document }: Resolved, { rules, hideSuggestions }: AdmissionOptions): void {
  const bounds = { hideSuggestions, maxErrors: mostErrors };
  const errors = validate(schema, document, [...specifiedRules, ...rules], bounds);
  if (errors.length > 0) throw new Refused(asInvalid(errors));
}

function assertVariables({ schema, document, operation, request: { variables = {} } }: Resolved): void {
  if (!operation) return;
  const faults = refusedVariables({ schema, document, operation, variables });
  const errors = faults.map(({ told, ...fault }) => {
    const extensions = { code: 'BAD_USER_INPUT', fields: [fault], http };
    return new GraphQLError(told, { extensions });
  });
  if (errors.length > 0) throw new Refused(errors);
}
