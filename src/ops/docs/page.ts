// The frame of every documentation page: head, navigation, search, contents beside the text; and functions that make HTML.
import type { Asset, Assets } from './assets.ts';
import { tableEnd, tableStart } from './markdown.ts';
import { headingsIn, type Heading } from './pageText.ts';

export interface Page {
  title: string;
  /** The URL path of the page. */
  path: string;
  /** Beside those of every page, and before them. */
  styles?: Asset[];
  scripts?: Asset[];
  /** HTML. */
  body: string;
  /** Chooses the style: a page of text has contents beside it, the explorer fills the window. */
  kind: 'text' | 'explorer';
}

const places = [
  ['/docs', 'Overview'],
  ['/docs/build-an-sdk', 'Build an SDK'],
  ['/docs/public', 'Public API'],
  ['/docs/admin', 'Admin API'],
] as const;

export function renderPage({ title, path, styles = [], scripts = [], body, kind }: Page, assets: Assets): string {
  const links = places.map(
    ([href, name]) => `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  const all = [...styles, assets['docs.css'], assets['chrome.css']];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${assets['icon.svg'].url}" type="image/svg+xml">
${all.map(({ url }) => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script src="${assets['theme.js'].url}"></script>
${[assets['docs.js'], ...scripts].map(({ url }) => `<script src="${url}" defer></script>`).join('\n')}
</head>
<body class="${kind}">
<a class="skip" href="#main">To the text</a>
<header class="site"><p class="name">Campaign and analytics backend</p><nav aria-label="Pages">${links.join('')}</nav>
${search}
<button id="theme" type="button" hidden>Dark</button></header>
${kind === 'text' ? besideText(body) : body}
</body>
</html>
`;
}

/** A script shows it: without scripts there is no search. */
const search = `<form id="search" role="search" hidden>
<input name="words" type="search" aria-label="Search these pages" placeholder="Search" autocomplete="off">
<div id="found" hidden><p role="status"></p><ul></ul></div></form>`;

function besideText(body: string): string {
  return `<div class="beside">
<aside aria-label="Contents"><button id="contents" type="button" aria-expanded="false" aria-controls="headings" hidden>Contents</button>
<nav id="headings" aria-label="On this page"><ul>${headingsIn(body).map(renderEntry).join('\n')}</ul></nav></aside>
${body}
</div>`;
}

function renderEntry({ id, level, title, method }: Heading): string {
  const badge = method === '' ? '' : `<span class="method">${method}</span> `;
  return `<li class="level${level}"><a href="#${id}">${badge}${escapeHtml(title)}</a></li>`;
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

/** Cells are HTML. */
export function renderTable(heads: string[], rows: string[][]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `${tableStart}<thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody>${tableEnd}`;
}
