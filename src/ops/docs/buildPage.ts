// /docs/build-an-sdk: the order in which an SDK is built, as openapi.yaml gives it, with commands and samples that work here.
import type { Assets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { renderCode, renderMarkdown } from './markdown.ts';
import { escapeHtml, renderPage } from './page.ts';
import { fillSample, type Sample } from './samples.ts';

export interface BuildPageOptions extends DocsOptions {
  samples: Sample[];
}

export function buildPage(options: BuildPageOptions, assets: Assets): string {
  const { document, demo, publicUrl, samples } = options;
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
${renderMarkdown(orderOf(document.info.description ?? ''), { anchorsOn: '/docs/public' })}
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
function orderOf(description: string): string {
  const [, section] = /^## Build an SDK in this order\n(.*?)(?=^## )/ms.exec(description) ?? [];
  if (section === undefined) throw new Error('the contract has no section "Build an SDK in this order"');
  return section;
}
