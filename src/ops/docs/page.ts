// The frame of every documentation page: head, navigation, styles and scripts; and the functions that turn text into HTML.
import type { Asset } from './assets.ts';

export interface Page {
  title: string;
  /** The URL path of the page. */
  path: string;
  styles: Asset[];
  scripts?: Asset[];
  icon: Asset;
  /** HTML. */
  body: string;
  /** Chooses the style: a page of text scrolls, a tool fills the window. */
  kind: 'text' | 'reference' | 'explorer';
}

const places = [
  ['/docs', 'Overview'],
  ['/docs/public', 'Public API'],
  ['/docs/admin', 'Admin API'],
] as const;

export function renderPage({ title, path, styles, scripts = [], icon, body, kind }: Page): string {
  const links = places.map(
    ([href, name]) => `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${icon.url}" type="image/svg+xml">
${styles.map(({ url }) => `<link rel="stylesheet" href="${url}">`).join('\n')}
${scripts.map(({ url }) => `<script src="${url}" defer></script>`).join('\n')}
</head>
<body class="${kind}">
<header class="site"><p class="name">Campaign and analytics backend</p><nav aria-label="Pages">${links.join('')}</nav></header>
${body}
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

/** Takes one paragraph of the contracts' Markdown. Running text in them has code spans and bold only. */
export function renderInline(markdown: string): string {
  return escapeHtml(markdown)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** Cells are HTML. A table that is wider than the screen scrolls by itself. */
export function renderTable(heads: string[], rows: string[][]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}
