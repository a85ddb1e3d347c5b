// /docs/public: the reference of the public API, from openapi.yaml, with requests to try.
import type { Assets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { escapeHtml, renderPage } from './page.ts';

export function referencePage({ demo: { key } }: DocsOptions, assets: Assets): string {
  return renderPage({
    title: 'Public API · Campaign and analytics backend',
    path: '/docs/public',
    kind: 'reference',
    styles: [assets['swagger-ui.css'], assets['docs.css'], assets['reference.css']],
    scripts: [assets['swagger-ui-bundle.js'], assets['reference.js']],
    icon: assets['icon.svg'],
    body: `<form class="bar" id="keys" autocomplete="off">
<label>Public key <input name="public" value="${escapeHtml(key.public)}" placeholder="pub_…" spellcheck="false"></label>
<label>Secret key <input name="secret" type="password" value="${escapeHtml(key.secret)}" placeholder="sec_…" autocomplete="new-password"></label>
<p id="signing" role="status"></p>
</form>
<div id="reference"></div>
<noscript><p>The reference needs JavaScript. The contract itself is <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>`,
  });
}
