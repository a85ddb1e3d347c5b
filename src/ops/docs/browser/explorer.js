// In the browser: opens the explorer with the schema's file, so that it sends no introspection, and logs in for its header.
/* global GraphiQL, GraphiQLPluginExplorer, React, ReactDOM */
const endpoint = '/docs/try/admin/graphql/';
const form = document.getElementById('login');
const session = document.getElementById('session');

const loginDocument = `mutation Login($input: LoginInput!) {
  login(input: $input) { token user { role } organization { name } }
}`;
const firstDocument = `# Log in above, then run this.
query Me {
  me { email name role }
  organization { name projectsCount }
}
`;

/** Storage of this tab only: variables may hold passwords, which must not stay on the machine. */
const storage = {
  getItem: (key) => sessionStorage.getItem(key),
  setItem: (key, value) => sessionStorage.setItem(key, value),
  removeItem: (key) => sessionStorage.removeItem(key),
  clear: () => sessionStorage.clear(),
  get length() {
    return sessionStorage.length;
  },
};
const plugins = [GraphiQLPluginExplorer.explorerPlugin({ showAttribution: false })];
const fetcher = GraphiQL.createFetcher({ url: endpoint });
const root = ReactDOM.createRoot(document.getElementById('explorer'));

let shownSchema;
let shownToken;

function show(schema, token) {
  shownSchema = schema;
  shownToken = token;
  root.render(
    React.createElement(GraphiQL, {
      fetcher,
      schema,
      storage,
      plugins,
      defaultQuery: firstDocument,
      defaultEditorToolsVisibility: 'headers',
      forcedTheme: document.documentElement.classList.contains('dark') ? 'dark' : 'light',
      ...(token && { headers: JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) }),
    }),
  );
}

document.addEventListener('theme', () => shownSchema && show(shownSchema, shownToken));

async function logIn(input) {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: loginDocument, variables: { input } }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(errors.map(({ message }) => message).join(' '));
  return data.login;
}

async function start() {
  const answer = await fetch('/schema.graphql');
  if (!answer.ok) throw new Error(`schema.graphql: HTTP ${answer.status}`);
  const schema = GraphiQL.GraphQL.buildSchema(await answer.text());
  show(schema);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const { email, password } = Object.fromEntries(new FormData(form));
      const { token, user, organization } = await logIn({ email, password });
      show(schema, token);
      session.textContent = `Logged in as ${user.role} of ${organization.name}, for 90 minutes. The header below is set.`;
    } catch (error) {
      session.textContent = `Not logged in: ${error.message}`;
    }
  });
}

start().catch((error) => {
  session.textContent = `The explorer could not start: ${error.message}`;
});
