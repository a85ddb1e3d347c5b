// The pages of the contracts: /docs/public, which Redoc renders from openapi.yaml, and /docs/admin, GraphiQL with a login.
import type { OpenAPIV3 } from 'openapi-types';
import type { Assets } from './assets.ts';
import { escapeHtml, renderPage, type DocsOptions } from './page.ts';

type Document = OpenAPIV3.Document;
type Operation = OpenAPIV3.OperationObject;

const referencePath = '/docs/public';

export function referencePage(nonce: string, assets: Assets): string {
  return renderPage(
    {
      title: 'Public API · Campaign and analytics backend',
      path: referencePath,
      kind: 'reference',
      heading: 'Public API',
      styles: [assets['reference.css']],
      scripts: [assets['reference.js'], assets['redoc.js']],
      // Redoc gives its styles the nonce that it reads here.
      head: `<meta property="csp-nonce" content="${nonce}" nonce="${nonce}">`,
      body: `<div id="main"><redoc spec-url="/docs/public.json" router="history" base-path="${referencePath}" disable-telemetry="true" hide-download-buttons="true"></redoc></div>
<noscript><p>The reference needs JavaScript. The contract itself is <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>`,
    },
    assets,
  );
}

/** openapi.yaml for Redoc: with this process's URL, with commands that work here, and with links that Redoc follows. */
export function referenceDocument(options: DocsOptions): Document {
  const { document, demo, publicUrl } = options;
  const copy = structuredClone(document);
  for (const { path, operationId, operation } of operationsIn(copy)) {
    const source = operationId === 'reportSessions' ? demo.command() : curlCommand(path, operation, options);
    // Redoc would colour code of a known language by inline styles, which the policy forbids.
    Object.assign(operation, { 'x-codeSamples': [{ lang: 'text', label: 'curl', source }] });
  }
  copy.info.description = linkHeadings(document.info.description ?? '', document);
  copy.servers = [{ url: publicUrl() ?? '/', description: 'This process.' }];
  return copy;
}

/** Points the links to headings at the addresses that Redoc gives the headings. */
export function linkHeadings(markdown: string, document: Document): string {
  const addresses = headingAddresses(document);
  return markdown.replaceAll(/\]\(#([^)]+)\)/g, (_link, anchor: string) => {
    const address = addresses.get(anchor);
    if (address === undefined) throw new Error(`the contract has no heading #${anchor}`);
    return `](${address})`;
  });
}

/**
 * By GitHub's anchor, for which the contract's links are written: the introduction's headings have addresses of their own,
 * the others stand on the page of their operation.
 */
export function headingAddresses(document: Document): Map<string, string> {
  const ofIntroduction = headingsIn(document.info.description).map(
    ({ anchor, id }) => [anchor, `${referencePath}/section/${id}`] as const,
  );
  const ofOperations = operationsIn(document).flatMap(({ operationId, operation: { tags = [], description } }) => {
    const part = `${anchorOf(tags[0] ?? '')}/${operationId.toLowerCase()}`;
    const page = `${referencePath}/${part}`;
    const below = headingsIn(description).map(({ anchor, id }) => [anchor, `${page}#${part}/request/${id}`] as const);
    return [[operationId, page] as const, ...below];
  });
  return new Map([...ofIntroduction, ...ofOperations]);
}

/** Redoc leaves code out of a heading's id. */
function headingsIn(markdown = ''): { anchor: string; id: string }[] {
  return [...markdown.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => ({
    anchor: anchorOf(heading),
    id: anchorOf(heading.replaceAll(/`[^`]*`/g, '').trim()),
  }));
}

/** Lower case, without punctuation, spaces as hyphens. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function operationsIn({ paths }: Document): { path: string; operationId: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    [item?.get, item?.post].flatMap((operation) =>
      operation?.operationId === undefined ? [] : [{ path, operationId: operation.operationId, operation }],
    ),
  );
}

/** Sends the first example with the key of the demo. */
function curlCommand(path: string, operation: Operation, { document, demo, publicUrl }: DocsOptions): string {
  const parameters = (operation.parameters ?? []).map((each) => resolveRef<OpenAPIV3.ParameterObject>(document, each));
  const given = parameters.filter(({ example }) => example !== undefined);
  const valuesIn = (place: string) =>
    given.filter((each) => each.in === place).map(({ name, example }): [string, string] => [name, String(example)]);
  const filled = valuesIn('path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const query = new URLSearchParams(valuesIn('query')).toString();
  const body = firstExample(document, operation);
  // An operation without `security` of its own has that of the whole document.
  const isForApps = operation.security?.some((each) => 'ApiKey' in each) ?? true;
  return [
    `curl -i '${publicUrl() ?? ''}${filled}${query && `?${query}`}'`,
    ...(isForApps ? [`-H 'X-Api-Key: ${demo.key.public}'`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ');
}

function firstExample(document: Document, { requestBody }: Operation): unknown {
  if (!requestBody) return undefined;
  const { content } = resolveRef<OpenAPIV3.RequestBodyObject>(document, requestBody);
  const [first] = Object.values(content['application/json']?.examples ?? {});
  return first && resolveRef<OpenAPIV3.ExampleObject>(document, first).value;
}

function resolveRef<Value extends object>(document: Document, value: Value | OpenAPIV3.ReferenceObject): Value {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.replace(/^#\//, '').split('/');
  let found: unknown = document;
  for (const step of steps) found = (found as Record<string, unknown> | undefined)?.[step];
  return resolveRef(document, found as Value | OpenAPIV3.ReferenceObject);
}

export function explorerPage({ demo: { login } }: DocsOptions, assets: Assets): string {
  return renderPage(
    {
      title: 'Admin API · Campaign and analytics backend',
      path: '/docs/admin',
      kind: 'explorer',
      heading: 'Admin API',
      styles: [assets['graphiql.css'], assets['graphiql-explorer.css'], assets['explorer.css']],
      scripts: [
        assets['react.js'],
        assets['react-dom.js'],
        assets['graphiql.js'],
        assets['graphiql-explorer.js'],
        assets['explorer.js'],
      ],
      body: `<main id="main">
<form class="bar" id="login">
<label>E-mail <input name="email" type="email" value="${escapeHtml(login.email)}" placeholder="you@example.com" autocomplete="off"></label>
<label>Password <input name="password" type="password" value="${escapeHtml(login.password)}" autocomplete="new-password"></label>
<button>Log in</button>
<p id="session" role="status">Log in for the <code>Authorization</code> header, or write it below.</p>
</form>
<div id="explorer"></div></main>
<noscript><p>The explorer needs JavaScript. The contract itself is <a href="/schema.graphql">schema.graphql</a>.</p></noscript>`,
    },
    assets,
  );
}
