// The frame of every documentation page, what the pages know, and functions that make HTML of text and of Markdown.
import type { RequestListener } from 'node:http';
import MarkdownIt, { type Token } from 'markdown-it';
import type { OpenAPIV3 } from 'openapi-types';
import type { Asset, Assets } from './assets.ts';

/** The facts about the serving process that the pages show. */
export interface DocsOptions {
  /** openapi.yaml, parsed, and the path of its text. */
  document: OpenAPIV3.Document;
  documentFile: string;
  /** The text of schema.graphql, and its path. */
  sdl: string;
  sdlFile: string;
  /** The version of the service, as in package.json. */
  version: string;
  signatureRequired: boolean;
  /** Both APIs, as the public listener serves them. The explorer sends its requests there. */
  apis: RequestListener;
  /** The URL of the public listener; null before it listens. */
  publicUrl(): string | null;
  demo: DocsDemo;
}

export interface DocsDemo {
  key: { public: string; secret: string };
  login: { email: string; password: string };
  /** A shell command whose response is 200. */
  command(): string;
}

export interface Page {
  title: string;
  /** The URL path of the page. */
  path: string;
  /** Beside those of every page: styles before them, scripts after them. */
  styles?: Asset[];
  scripts?: Asset[];
  /** HTML of the head. */
  head?: string;
  /** For screen readers, where the body has no h1. */
  heading?: string;
  /** HTML. */
  body: string;
  /** Chooses the style: a page of text is a column, the others fill the window. */
  kind: 'text' | 'reference' | 'explorer';
}

const places = [
  ['/docs', 'Overview'],
  ['/docs/build-an-sdk', 'Build an SDK'],
  ['/docs/public', 'Public API'],
  ['/docs/admin', 'Admin API'],
] as const;

export function renderPage(page: Page, assets: Assets): string {
  const { title, path, styles = [], scripts = [], head = '', heading = '', body, kind } = page;
  const links = places.map(
    ([href, name]) => `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${head}
<link rel="icon" href="${assets['icon.svg'].url}" type="image/svg+xml">
${[...styles, assets['docs.css']].map(({ url }) => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script src="${assets['docs.js'].url}"></script>
</head>
<body class="${kind}">
<a class="skip" href="#main">To the text</a>
<header class="site"><p class="name">Campaign and analytics backend</p><nav aria-label="Pages">${links.join('')}</nav>
<button id="theme" type="button" hidden>Dark</button>${heading && `<h1 class="hidden">${heading}</h1>`}</header>
${body}
${scripts.map(({ url }) => `<script src="${url}" type="${url.endsWith('/redoc.js') ? 'module' : 'text/javascript'}"></script>`).join('\n')}
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

// `html: false`: a tag in the text is shown as text.
const markdown = new MarkdownIt({ html: false });
markdown.renderer.rules['fence'] = (tokens: Token[], index: number) => renderCode(tokens[index]!.content.trimEnd());

export function renderMarkdown(text: string): string {
  return markdown.render(text);
}

/** Takes one paragraph. */
export function renderInline(text: string): string {
  return markdown.renderInline(text);
}

/** The keyboard reaches the block, because it may scroll sideways. */
export function renderCode(code: string): string {
  return `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></div>`;
}

/** Cells are HTML. A table that is wider than the screen scrolls by itself. */
export function renderTable(heads: string[], rows: string[][]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}
