// `propertyNames` three ways: each engine finds the names of each scope, with the types of their values and some of these.
import fc from 'fast-check';
import {
  propertyNamesCursor,
  readPropertyNames,
  type PropertyNamesQuestion,
} from '../../src/analytics/reads/propertyNamesRead.ts';
import { allPages } from '../support/analytics/allPages.ts';
import { propertyNamesOf } from '../support/analytics/listReferences.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<PropertyNamesQuestion, unknown>('propertyNames', {
  question: ({ now }) =>
    fc.record({
      scope: fc.constantFrom('EVENT', 'USER', 'DEVICE'),
      includeTest: fc.boolean(),
      search: fc.option(fc.constantFrom('p', 'version', 'none'), { freq: 2 }),
      newest: fc.constantFrom(1, 2, 3, 1_000),
      now: fc.constant(new Date(now / 1_000)),
      limit: fc.integer({ min: 1, max: 6 }),
      after: fc.constant(null),
    }),
  reference: propertyNamesOf,
  async read(engine, question) {
    const pages = { limit: question.limit, shape: propertyNamesCursor };
    const { nodes } = await allPages(pages, (page) => readPropertyNames(engine, { ...question, ...page }));
    return nodes;
  },
});
