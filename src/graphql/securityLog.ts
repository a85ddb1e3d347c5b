// Writes what became of every attempt to get in, and each refusal for lack of rights: by operation and code, never by what was sent.
import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
import { accessOf } from './access.ts';
import type { AdminContext } from './context.ts';
import { graphqlCode } from './errors.ts';
import { selectedRootFields } from './selectedFields.ts';

const refusals: unknown[] = ['UNAUTHENTICATED', 'FORBIDDEN'];
const codeOf = ({ extensions }: GraphQLFormattedError): unknown => extensions?.['code'];

export function securityLog(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ document, operation, contextValue, response: { body } }) => {
        const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
        const refused = errors.filter((error) => refusals.includes(codeOf(error)));
        if (refused.length === 0) return;
        const fields = document && operation ? [...selectedRootFields(document, operation)] : [];
        const userId = (await contextValue.authenticate().catch(() => null))?.userId;
        const operations = fields.filter((field) => (accessOf('Mutation', field) ?? accessOf('Query', field)) !== null);
        contextValue.log.info({ operations, outcome: codeOf(refused[0]!), userId }, 'access refused');
      },
    }),
  };
}

/** A mutation that lets somebody in: what becomes of this field, whatever becomes of those beside and below it. */
export function logged<Call extends (args: unknown, context: AdminContext) => unknown>(field: string, operation: Call) {
  return async (args: unknown, context: AdminContext): Promise<unknown> => {
    const note = (outcome: string): void => context.log.info({ operation: field, outcome }, 'authentication');
    try {
      const result = await operation(args, context);
      note('OK');
      return result;
    } catch (error) {
      note(graphqlCode(error));
      throw error;
    }
  };
}
