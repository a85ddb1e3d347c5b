// contract:diff and contract:release: a break needs a new version, and the present contracts keep what was released.
import { projectRoot } from '../../src/platform/projectRoot.ts';
import { compareWithReleased, type Comparison } from '../tools/contractDiff/contracts.ts';
import { unannounced, unreleasable } from '../tools/contractDiff/verdict.ts';
import { announcesBreak } from '../tools/contractDiff/version.ts';

describe('the version', () => {
  test.each([
    ['1.4.2', '2.0.0', true],
    ['1.4.2', '1.5.0', false],
    ['2.0.0', '1.9.0', false],
    ['0.1.3', '0.2.0', true],
    ['0.1.3', '0.1.4', false],
    ['0.9.0', '1.0.0', true],
  ])('from %s to %s announces a break: %s', (before, after, announced) => {
    expect(announcesBreak(before, after)).toBe(announced);
  });

  const comparison = (fields: Partial<Comparison>): Comparison => ({
    file: 'openapi.yaml',
    was: '1.4.2',
    is: '1.4.2',
    textChanged: true,
    changes: [{ at: 'GET /x', what: 'the operation was removed', breaking: true }],
    ...fields,
  });

  test('lets a break pass only when it says so', () => {
    expect(unannounced(comparison({}))).toContain('raise it to 2.0.0');
    expect(unannounced(comparison({ file: 'schema.graphql', was: '0.1.0', is: '0.1.9' }))).toContain(
      'raise it to 0.2.0',
    );
    expect(unannounced(comparison({ is: '2.0.0' }))).toBeNull();
    expect(unannounced(comparison({ changes: [] }))).toBeNull();
  });

  test('is raised with every release that differs', () => {
    expect(unreleasable(comparison({ changes: [] }))).toContain('differs from 1.4.2');
    expect(unreleasable(comparison({ changes: [], is: '1.4.3' }))).toBeNull();
    expect(unreleasable(comparison({ changes: [], textChanged: false }))).toBeNull();
    expect(unreleasable(comparison({ is: '1.5.0' }))).toContain('breaking');
  });
});

test('both contracts keep what was released last, or their versions say that they do not', async () => {
  const comparisons = await compareWithReleased(projectRoot);
  expect(comparisons.map(({ file }) => file)).toEqual(['openapi.yaml', 'schema.graphql']);
  expect(comparisons.map(unannounced)).toEqual([null, null]);
});
