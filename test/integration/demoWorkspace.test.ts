// The demo workspace: the same at every start, and recreated if someone has removed a part of it.
import { createEncryption } from '../../src/platform/encryption.ts';
import { eraseSecrets } from '../../src/workspace/removal.ts';
import { demoLogin } from '../../src/accounts/signupPolicy.ts';
import { ensureDemoWorkspace, type DemoWorkspace } from '../../src/development/demoWorkspace.ts';
import { askAdmin } from '../support/adminClient.ts';
import { encryptionKey } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { uploadWith } from '../support/workspace.ts';

let service: TestService;
let demo: DemoWorkspace;
let token: string;
const start = (key = encryptionKey) => ensureDemoWorkspace(service.database.adminPool, createEncryption(key));
beforeEach(async () => {
  service = await startTestService();
  demo = await start();
  const query = 'mutation L($input: LoginInput!) { login(input: $input) { token } }';
  const { data } = await askAdmin(service.url, { query, variables: { input: demoLogin } });
  token = (data!['login'] as { token: string }).token;
});
afterEach(() => service.stop());

const ask = (mutation: string) => askAdmin(service.url, { query: `mutation { ${mutation} }`, token });
const revoke = () => ask(`apiKeyRevoke(public: "${demo.key.public}")`);
const deleteApplication = () => ask(`applicationDelete(id: "${demo.application.id}")`);
const deleteProject = async () => {
  const { projectId } = await service.database.prisma.application.findUniqueOrThrow({
    where: { id: demo.application.id },
  });
  return ask(`projectDelete(id: "${projectId}")`);
};

test('two starts at once and every later one response the same application and key', async () => {
  expect(await Promise.all([start(), start()])).toEqual([demo, demo]);
  expect(await uploadWith(service, demo.key.public)).toBe(200);
});

test.each([
  ['its key was revoked', revoke, true],
  ['its application was deleted', deleteApplication, false],
  ['its project was deleted', deleteProject, false],
])('after %s a start makes another key, and later ones keep it', async (_, take, sameApplication) => {
  const project = await ask('projectEdit(input: { name: "Another" }) { id }');
  const { id } = project.data!['projectEdit'] as { id: string };
  const beside = `projectId: "${id}", name: "Another", bundleId: "com.example.another", platform: "iOS"`;
  expect((await ask(`applicationEdit(input: { ${beside} }) { id }`)).errors).toEqual([]);
  expect((await take()).errors).toEqual([]);
  // The removal job does the same.
  if (!sameApplication) await eraseSecrets(service.database.pool, demo.application.id);
  const [next, twin] = await Promise.all([start(), start()]);
  expect([twin, await start()]).toEqual([next, next]);
  expect(next.key.public).not.toBe(demo.key.public);
  expect(next.application.id === demo.application.id).toBe(sameApplication);
  expect(next.application.name).toBe(demo.application.name);
  expect(await uploadWith(service, next.key.public)).toBe(200);
});

test('a key that cannot be read with this ENCRYPTION_KEY is left, and another one made', async () => {
  const next = await start(Buffer.alloc(32, 9));
  expect([next.application, next.key.public === demo.key.public]).toEqual([demo.application, false]);
  expect(await start()).toEqual(demo);
});
