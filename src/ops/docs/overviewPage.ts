// /docs: an introduction, a command to try, the operations and errors of both APIs, and the paths of the private listener.
import type { Assets } from './assets.ts';
import { listErrorCodes, tableBelow } from './contractFacts.ts';
import type { DocsOptions } from './docsOptions.ts';
import { renderCode } from './markdown.ts';
import { escapeHtml, renderInline, renderPage, renderTable } from './page.ts';
import { listDescribed } from './publicDocument.ts';

export function overviewPage(options: DocsOptions, assets: Assets): string {
  return renderPage(
    {
      title: 'Campaign and analytics backend',
      path: '/docs',
      kind: 'text',
      body: `<main id="main">
${introduction(options)}
${readers}
${trial(options)}
${publicApi(options)}
${adminApi(options)}
${operation}
</main>`,
    },
    assets,
  );
}

function introduction(options: DocsOptions): string {
  const { version, document, signatureRequired, publicUrl } = options;
  const facts = [
    ['Version', escapeHtml(version)],
    ['Public contract', `${escapeHtml(document.info.version)}, OpenAPI ${escapeHtml(document.openapi)}`],
    ['Public listener', `<code>${escapeHtml(publicUrl() ?? 'not listening yet')}</code>`],
    ['Session uploads', signatureRequired ? 'must be signed' : 'may be unsigned; a signature is verified'],
  ];
  return `<h1>Campaign and analytics backend</h1>
<p class="lead">The server side of an SDK embedded in mobile apps. The <strong>public API</strong> takes in sessions with
their events, install attribution and store purchases, and delivers campaigns. The <strong>admin API</strong> serves a
dashboard: accounts, organizations, projects, applications, API keys and campaigns.</p>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

const readers = `<div class="cards">
<section><h2 id="sdk-teams">SDK teams</h2>
<p>Generate a client from the contract; its introduction is the guide to signing, retries, clock and limits.</p>
<ul><li><a href="/docs/build-an-sdk">Build an SDK in this order</a></li>
<li><a href="/docs/public">Reference, with requests to try</a></li><li><a href="/openapi.yaml">openapi.yaml</a></li></ul></section>
<section><h2 id="dashboard-teams">Dashboard teams</h2>
<p>Generate typed queries from the schema; every field says who may call it and which errors it gives.</p>
<ul><li><a href="/docs/admin">Explorer, with a login</a></li><li><a href="/schema.graphql">schema.graphql</a></li>
<li><a href="#admin-api">Address and error codes</a></li></ul></section>
<section><h2 id="operators">Operators</h2>
<p>Probes and metrics are here, on the private listener, and never on the public one.</p>
<ul><li><a href="/readyz">/readyz</a></li><li><a href="/metrics">/metrics</a></li>
<li><a href="#private-listener">All of the private listener</a></li></ul></section>
</div>`;

function trial({ demo }: DocsOptions): string {
  const rows = [
    ['Public key', demo.key.public],
    ['Secret key', demo.key.secret],
    ['Dashboard login', `${demo.login.email} / ${demo.login.password}`],
  ].map(([name = '', value = '']) => [name, `<code>${escapeHtml(value)}</code>`]);
  return `<h2 id="try">Try it</h2>
<p>This command stores one session of the demo application. The response is <code>200</code> with <code>{}</code>. Send it
twice: the session is stored once. The demo application, its login and these pages exist outside production only.</p>
${renderCode(demo.command())}
${renderTable(['Demo', 'Value'], rows)}`;
}

function publicApi({ document }: DocsOptions): string {
  const operations = listDescribed(document).map(({ method, path, operationId, operation }) => [
    `<code>${method} ${escapeHtml(path)}</code>`,
    `<a href="/docs/public#${operationId}">${operationId}</a>`,
    renderInline(operation.summary ?? ''),
  ]);
  const errors = tableBelow(document.info.description ?? '', '## Errors');
  return `<h2 id="public-api">Public API</h2>
${renderTable(['Request', 'Operation', 'Purpose'], operations)}
<h3 id="errors">Errors</h3>
<p>Decide by status, <code>error</code>, <code>reason</code> and <code>unit</code>. Whatever is sent again is stored once.</p>
${renderTable(
  errors.heads.map(renderInline),
  errors.rows.map((cells) => cells.map(renderInline)),
)}`;
}

function adminApi({ sdl }: DocsOptions): string {
  const codes = listErrorCodes(sdl).map(({ code, meaning }) => [`<code>${code}</code>`, renderInline(meaning)]);
  return `<h2 id="admin-api">Admin API</h2>
<p><code>POST /admin/graphql/</code> with <code>{"query": …, "variables": …}</code> as JSON; the final slash belongs to the
path. <code>login</code> and <code>signup</code> give a token, which is sent as <code>Authorization: Bearer …</code>.
Introspection is off in production: generate from <a href="/schema.graphql">schema.graphql</a>.</p>
<h3 id="error-codes">Error codes</h3>
<p>In <code>errors[].extensions.code</code>.</p>
${renderTable(['Code', 'Meaning'], codes)}`;
}

const operation = `<h2 id="private-listener">Private listener</h2>
<p>Nothing here asks who is calling: keep it inside (<code>OPS_HOST</code>, <code>OPS_PORT</code>).</p>
${renderTable(
  ['Path', 'What it answers'],
  [
    ['<a href="/livez"><code>/livez</code></a>', 'Whether the process lives. It never touches the database.'],
    [
      '<a href="/readyz"><code>/readyz</code></a>',
      'Whether it can serve: 503 while the database is away and from the moment that a shutdown begins.',
    ],
    ['<a href="/metrics"><code>/metrics</code></a>', 'Metrics in the text format of Prometheus.'],
    [
      '<a href="/docs"><code>/docs</code></a>',
      'These pages. What they try goes to the APIs in this process through <code>/docs/try</code>.',
    ],
    [
      '<a href="/openapi.yaml"><code>/openapi.yaml</code></a>, <a href="/schema.graphql"><code>/schema.graphql</code></a>',
      'Both contracts as files.',
    ],
  ],
)}`;
