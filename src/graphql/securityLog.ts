// Writes what became of every attempt to get in, and each refusal for lack of rights: by operation and code, never by what was sent.
import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
import { accessOf } from './access.ts';
import type { AdminContext } from './context.ts';
import { selectedRootFields } from './selectedFields.ts';

const refusals: unknown[] = ['UNAUTHENTICATED', 'FORBIDDEN'];
const codeOf = ({ extensions }: GraphQLFormattedError): unknown => extensions?.['code'];

export function securityLog(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ document, operation, contextValue, response: { body } }) => {
        const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
        const fields = document && operation ? [...selectedRootFields(document, operation)] : [];
        const attempts = fields.filter((field) => accessOf('Mutation', field) === 'public');
        // At most one of them is in an operation (limits.ts), so its code is the operation's.
        for (const attempt of attempts) {
          contextValue.log.info({ operation: attempt, outcome: codeOf(errors[0] ?? ok) }, 'authentication');
        }
        const refused = errors.filter((error) => refusals.includes(codeOf(error)));
        if (refused.length === 0) return;
        const userId = (await contextValue.authenticate().catch(() => null))?.userId;
        const operations = fields.filter((field) => (accessOf('Mutation', field) ?? accessOf('Query', field)) !== null);
        contextValue.log.info({ operations, outcome: codeOf(refused[0]!), userId }, 'access refused');
      },
    }),
  };
}

const ok: GraphQLFormattedError = { message: '', extensions: { code: 'OK' } };
