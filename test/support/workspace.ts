// Creates projects and applications through the admin API, for tests of one of their features.
import type { TestService } from './testService.ts';
import type { TestUser } from './testUsers.ts';
import { aReport } from './uploads.ts';

export interface AskedApplication {
  id: string;
  name: string;
  apiKeys: { public: string; secret: string }[];
}

/** Creates a project and returns its id. */
export async function createProject(admin: TestUser, name = 'P'): Promise<string> {
  const { data } = await admin.ask('mutation P($name: String!) { projectEdit(input: { name: $name }) { id } }', {
    name,
  });
  return (data!['projectEdit'] as { id: string }).id;
}

export const editApplication = (admin: TestUser, input: Record<string, unknown>) =>
  admin.ask(
    `mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) {
      id name bundleId platform image project { id } apiKeys { public secret } } }`,
    { input },
  );

export async function createApplication(admin: TestUser, projectId: string): Promise<AskedApplication> {
  const { data } = await editApplication(admin, { projectId, name: 'A', bundleId: 'com.a', platform: 'iOS' });
  return data!['applicationEdit'] as AskedApplication;
}

/** The status of the response to an upload with this key. */
export async function uploadWith(service: TestService, key: string): Promise<number> {
  return (await service.client.send('reportSessions', { 'X-Api-Key': key }, aReport())).status;
}
