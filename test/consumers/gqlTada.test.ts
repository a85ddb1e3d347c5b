// A dashboard's documents typed by gql.tada, used for a dashboard's whole journey.
import path from 'node:path';
import { generateConsumer, type ConsumerProject } from '../support/consumerProject.ts';
import { testDashboard, type DashboardDocuments } from '../support/dashboardJourney.ts';
import { checkSignatures } from '../support/publicSignatures.ts';

/** A timeout for generating and compiling on a busy machine; a quiet one takes a few seconds. */
const slow = 600_000;

let project: ConsumerProject;
beforeAll(async () => {
  project = await generateConsumer('gqlTada');
}, slow);
afterAll(() => project.remove());

test(
  'compiles in strict mode with the types of the client preset, and without an `any`',
  () => {
    const files = [
      'documents.ts',
      'campaignDocuments.ts',
      'serverDocuments.ts',
      'analyticsDocuments.ts',
      'listDocuments.ts',
      'introspection.d.ts',
    ];
    const { errors, anys, seen } = checkSignatures(path.join(project.folder, 'tsconfig.json'), files);
    expect({ errors, anys }).toEqual({ errors: [], anys: [] });
    expect(seen).toBeGreaterThan(100);
  },
  slow,
);

testDashboard(() => project.load<DashboardDocuments>('documents.ts'));
