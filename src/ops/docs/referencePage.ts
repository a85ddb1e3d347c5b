// /docs/public: the reference of the public API, from openapi.yaml: the guide, the operations, and requests to try.
import type { Assets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { renderMarkdown } from './markdown.ts';
import { renderOperation } from './operation.ts';
import { escapeHtml, renderPage } from './page.ts';
import { listDescribed } from './publicDocument.ts';

export function referencePage(options: DocsOptions, assets: Assets): string {
  const { document, publicUrl } = options;
  const { title, version, description = '' } = document.info;
  const operations = listDescribed(document).map((operation) => renderOperation(operation, options));
  return renderPage(
    {
      title: 'Public API · Campaign and analytics backend',
      path: '/docs/public',
      kind: 'text',
      styles: [assets['reference.css']],
      scripts: [assets['reference.js']],
      body: `<main id="main" class="reference">
<h1>Public API</h1>
<p class="lead">${escapeHtml(title)} ${escapeHtml(version)}, from <a href="/openapi.yaml">openapi.yaml</a>. The base URL
of this process is <code>${escapeHtml(publicUrl() ?? 'not listening yet')}</code>. New here? Begin with
<a href="/docs/build-an-sdk">Build an SDK in this order</a>.</p>
${renderKeys(options)}
${operations.join('\n')}
<section class="guide">
${renderMarkdown(description.replace(/^.*?(?=^## )/ms, ''))}
</section>
</main>`,
    },
    assets,
  );
}

function renderKeys({ demo: { key } }: DocsOptions): string {
  return `<h2 id="keys">Keys</h2>
<p>Each operation below has a form that sends a request to this process, with these keys. The forms sign uploads of
sessions with the secret key.</p>
<form id="key-form" class="fields" autocomplete="off">
<label>Public key <input name="public" value="${escapeHtml(key.public)}" placeholder="pub_…" spellcheck="false"></label>
<label>Secret key <input name="secret" type="password" value="${escapeHtml(key.secret)}" placeholder="sec_…" autocomplete="new-password"></label>
<p id="signing" role="status"></p>
</form>
<noscript><p>The forms need JavaScript.</p></noscript>`;
}
