// The pages of text: /docs, the overview, and /docs/build-an-sdk, the order in which an SDK is built, with samples.
import { readFile } from 'node:fs/promises';
import { buildSchema, isEnumType } from 'graphql';
import { projectFile } from '../../platform/projectRoot.ts';
import type { Assets } from './assets.ts';
import { linkHeadings } from './contractPages.ts';
import {
  escapeHtml,
  renderCode,
  renderInline,
  renderMarkdown,
  renderPage,
  renderTable,
  type DocsOptions,
} from './page.ts';

export function overviewPage(options: DocsOptions, assets: Assets): string {
  const { version, document, signatureRequired, publicUrl, demo, sdl } = options;
  const facts = [
    ['Version', escapeHtml(version)],
    ['Public contract', `${escapeHtml(document.info.version)}, OpenAPI ${escapeHtml(document.openapi)}`],
    ['Public listener', `<code>${escapeHtml(publicUrl() ?? 'not listening yet')}</code>`],
    ['Session uploads', signatureRequired ? 'must be signed' : 'may be unsigned; a signature is verified'],
  ];
  const demoValues = [
    ['Public key', demo.key.public],
    ['Secret key', demo.key.secret],
    ['Dashboard login', `${demo.login.email} / ${demo.login.password}`],
  ].map(([name = '', value = '']) => [name, `<code>${escapeHtml(value)}</code>`]);
  return renderPage(
    {
      title: 'Campaign and analytics backend',
      path: '/docs',
      kind: 'text',
      body: `<main id="main">
<h1>Campaign and analytics backend</h1>
<p class="lead">The server side of an SDK embedded in mobile apps. The <strong>public API</strong> takes in sessions with
their events, install attribution and store purchases, and delivers campaigns. The <strong>admin API</strong> serves a
dashboard: accounts, organizations, projects, applications, API keys and campaigns.</p>
${renderTable(['This process', 'Value'], facts)}
<h2 id="sdk-teams">SDK teams</h2>
<p>Generate a client from the contract; its introduction is the guide to signing, retries, clock and limits.</p>
<ul><li><a href="/docs/build-an-sdk">Build an SDK in this order</a></li>
<li><a href="/docs/public">Reference, with a search</a></li><li><a href="/openapi.yaml">openapi.yaml</a></li></ul>
<h2 id="dashboard-teams">Dashboard teams</h2>
<p>Generate typed queries from the schema; every field says who may call it and which errors it gives.</p>
<ul><li><a href="/docs/admin">Explorer, with a login</a></li><li><a href="/schema.graphql">schema.graphql</a></li>
<li><a href="#admin-api">Address and error codes</a></li></ul>
<h2 id="operators">Operators</h2>
<p>Probes and metrics are here, on the private listener, and never on the public one.</p>
<ul><li><a href="/readyz">/readyz</a></li><li><a href="/metrics">/metrics</a></li>
<li><a href="#private-listener">All of the private listener</a></li></ul>
<h2 id="try">Try it</h2>
<p>This command stores one session of the demo application. The response is <code>200</code> with <code>{}</code>. Send it
twice: the session is stored once. The demo application, its login and these pages exist outside production only.</p>
${renderCode(demo.command())}
${renderTable(['Demo', 'Value'], demoValues)}
<h2 id="admin-api">Admin API</h2>
<p><code>POST /admin/graphql/</code> with <code>{"query": …, "variables": …}</code> as JSON; the final slash belongs to the
path. <code>login</code> and <code>signup</code> give a token, which is sent as <code>Authorization: Bearer …</code>.
Introspection is off in production: generate from <a href="/schema.graphql">schema.graphql</a>.</p>
<h3 id="error-codes">Error codes</h3>
<p>In <code>errors[].extensions.code</code>.</p>
${renderTable(['Code', 'Meaning'], errorCodesIn(sdl))}
<h2 id="private-listener">Private listener</h2>
<p>Nothing here asks who is calling: keep it inside (<code>OPS_HOST</code>, <code>OPS_PORT</code>).</p>
${renderTable(['Path', 'Response'], privatePaths)}
</main>`,
    },
    assets,
  );
}

/** In the order of the contract, each with the first paragraph of its description. */
function errorCodesIn(sdl: string): string[][] {
  const codes = buildSchema(sdl).getType('ErrorCode');
  if (!isEnumType(codes)) throw new Error('the contract has no enum ErrorCode');
  return codes.getValues().map(({ name, description }) => {
    const [paragraph = ''] = (description ?? '').split(/\n\s*\n/);
    return [`<code>${name}</code>`, renderInline(paragraph)];
  });
}

const privatePaths = [
  ['<a href="/livez"><code>/livez</code></a>', 'Whether the process lives. It never touches the database.'],
  [
    '<a href="/readyz"><code>/readyz</code></a>',
    'Whether it can serve: 503 while the database is away and from the moment that a shutdown begins.',
  ],
  ['<a href="/metrics"><code>/metrics</code></a>', 'Metrics in the text format of Prometheus.'],
  [
    '<a href="/docs"><code>/docs</code></a>',
    'These pages. The explorer sends its requests to the admin API in this process through <code>/docs/try</code>.',
  ],
  [
    '<a href="/openapi.yaml"><code>/openapi.yaml</code></a>, <a href="/schema.graphql"><code>/schema.graphql</code></a>',
    'Both contracts as files.',
  ],
];

export function buildPage({ document, demo, publicUrl }: DocsOptions, samples: Sample[], assets: Assets): string {
  const values = { baseUrl: publicUrl() ?? '', key: demo.key };
  const shown = samples.map(
    ({ language, text }) => `<h3 id="${language.toLowerCase()}">${escapeHtml(language)}</h3>
${renderCode(fillSample(text, values).trimEnd())}`,
  );
  return renderPage(
    {
      title: 'Build an SDK in this order · Campaign and analytics backend',
      path: '/docs/build-an-sdk',
      kind: 'text',
      body: `<main id="main">
<h1>Build an SDK in this order</h1>
<h2 id="steps">Steps</h2>
${renderMarkdown(linkHeadings(orderIn(document.info.description ?? ''), document))}
<h2 id="first-upload">The first upload</h2>
<p>This command works here: the response is <code>200</code> with <code>{}</code>.</p>
${renderCode(demo.command())}
<h2 id="samples">Sign and send</h2>
<p>Each sample signs the smallest body and sends it to this process. With <code>check</code> it compares its signatures
with the test vectors.</p>
${shown.join('\n')}
</main>`,
    },
    assets,
  );
}

/** Throws when the contract no longer has the section. */
function orderIn(description: string): string {
  const [, section] = /^## Build an SDK in this order\n(.*?)(?=^## )/ms.exec(description) ?? [];
  if (section === undefined) throw new Error('the contract has no section "Build an SDK in this order"');
  return section;
}

const languages = [
  ['swift', 'Swift'],
  ['kt', 'Kotlin'],
  ['py', 'Python'],
] as const;

export interface Sample {
  language: string;
  text: string;
}

export interface SampleValues {
  baseUrl: string;
  key: { public: string; secret: string };
}

/** Throws when a file is missing: at the start, not at the first visit. */
export async function loadSamples(): Promise<Sample[]> {
  return await Promise.all(
    languages.map(async ([ending, language]) => {
      const file = projectFile('src', 'ops', 'docs', 'samples', `upload.${ending}`);
      return { language, text: await readFile(file, 'utf8') };
    }),
  );
}

export function fillSample(text: string, { baseUrl, key }: SampleValues): string {
  return text
    .replace('"http://localhost:8080"', `"${baseUrl}"`)
    .replace('"pub_…"', `"${key.public}"`)
    .replace('"sec_…"', `"${key.secret}"`);
}
