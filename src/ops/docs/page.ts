// The frame of every documentation page: head, navigation, styles and scripts; and the two ways text becomes HTML.
import type { Asset } from './assets.ts';

export interface Page {
  title: string;
  /** The path it is served at. */
  path: string;
  styles: Asset[];
  scripts?: Asset[];
  icon: Asset;
  /** HTML. */
  body: string;
  /** For styles: a page of text scrolls, a tool fills the window. */
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

/** One paragraph of the contracts' Markdown, of which they use two marks in running text. */
export function renderInline(markdown: string): string {
  return escapeHtml(markdown)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** Cells are HTML. It scrolls by itself where it is wider than the screen. */
export function renderTable(heads: string[], rows: string[][]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}
