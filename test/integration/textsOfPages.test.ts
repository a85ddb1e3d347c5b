// Names and pictures that a page shows to others: no name directs the text beside it, and no picture is a script (schema.graphql, "Conventions").
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await newOrganization(service), 'viewer');
});
afterAll(() => service.stop());

const edit = 'mutation E($input: UserEditInput!) { userEdit(input: $input) { name avatar } }';
const send = (input: Record<string, unknown>) => viewer.ask(edit, { input });
const refusal = (path: string, message: string) => ({
  errors: [{ extensions: { code: 'BAD_USER_INPUT', fields: [{ path, message }] } }],
});

test.each(['\u202e', '\u202a', '\u202c', '\u2066', '\u2069'])('a name with %j is refused', async (character) => {
  const message = 'must not contain characters that direct the text around them';
  expect(await send({ name: `Bob ${character}moc.elpmaxe@nna` })).toMatchObject(refusal('input.name', message));
});

test.each(['אבג Ltd', 'عربي', 'a\u200fb', 'می\u200cخواهم', '👨\u200d👩\u200d👧'])(
  'the name %s is kept',
  async (name) => {
    expect(await send({ name })).toMatchObject({ data: { userEdit: { name } } });
  },
);

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\tscript:x',
  '\u0001vbscript:x',
  'data:text/html,x',
  'DATA:,x',
])('the picture %j is refused', async (avatar) => {
  const message = 'must not be a URL that runs in a page';
  expect(await send({ avatar })).toMatchObject(refusal('input.avatar', message));
});

test.each(['https://example.com/javascript:1.png', 'data:image/png;base64,AAAA', 'a picture', 'javascript.png'])(
  'the picture %s is kept',
  async (avatar) => {
    expect(await send({ avatar })).toMatchObject({ data: { userEdit: { avatar } } });
  },
);
