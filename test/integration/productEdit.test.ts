// mutation productEdit: the duration of a product to which the store gives no end. purchases.reports.test.ts has its effect.
import { auditLines, lastLine } from '../support/auditLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

async function edit(fields: Record<string, unknown>, user = admin) {
  const query = 'mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId kind durationDays } }';
  const input = { applicationId: service.application.id, productId: 'pass', ...fields };
  const { data, errors } = await user.ask(query, { input });
  return data?.['productEdit'] ?? errors;
}

test('sets, keeps and clears the duration, and the audit log has each change', async () => {
  const since = await lastLine(service);
  const pass = { productId: 'pass', kind: null };
  expect(await edit({})).toEqual({ ...pass, durationDays: null });
  expect(await service.database.prisma.storeProduct.count()).toBe(0);
  expect(await edit({ durationDays: 30 })).toEqual({ ...pass, durationDays: 30 });
  expect(await edit({})).toEqual({ ...pass, durationDays: 30 });
  expect(await edit({ durationDays: 30 })).toEqual({ ...pass, durationDays: 30 });
  expect(await edit({ durationDays: null })).toEqual({ ...pass, durationDays: null });
  const lines = await auditLines(service, admin.organizationId, since);
  const about = { action: 'productEdit', objectType: 'product', objectId: 'pass' };
  const applicationId = service.application.id;
  expect(lines.map(({ action, objectType, objectId, details }) => ({ action, objectType, objectId, details }))).toEqual(
    [
      { ...about, details: { applicationId, durationDays: { from: null, to: 30 } } },
      { ...about, details: { applicationId, durationDays: { from: 30, to: null } } },
    ],
  );
});

test.each([0, -1, 36_501])('refuses a duration of %d days', async (durationDays) => {
  const fields = [{ path: 'input.durationDays', message: 'must be a whole number from 1 to 36500' }];
  expect(await edit({ durationDays })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields } }]);
});

test.each(['', ' ', 'x'.repeat(257)])('refuses %j as a product', async (productId) => {
  const fields = [{ path: 'input.productId' }];
  expect(await edit({ productId })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields } }]);
});

test('is not there for another organization', async () => {
  const stranger = await newUser(service, await newOrganization(service));
  expect(await edit({ durationDays: 30 }, stranger)).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
});
