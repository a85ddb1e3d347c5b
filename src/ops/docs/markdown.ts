// Markdown of the contracts as HTML: headings with the anchors of GitHub, tables and code that scroll in themselves.
import MarkdownIt, { type Token } from 'markdown-it';

interface RenderOptions {
  /** How many levels the headings go down: 1 makes `##` an h3. */
  deeper?: number;
  /** The page that holds the anchors which the text names; by default the page itself. */
  anchorsOn?: string;
}

// `html: false`: a tag in the text is shown as text.
const markdown = new MarkdownIt({ html: false });

export function renderMarkdown(text: string, options: RenderOptions = {}): string {
  return markdown.render(text, options);
}

/** Lower case, without punctuation, spaces as hyphens: the contracts' own links are written for it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** The keyboard reaches the block, because it may scroll sideways. */
export function renderCode(code: string): string {
  return `<div class="code"><pre tabindex="0"><code>${markdown.utils.escapeHtml(code)}</code></pre></div>`;
}

/** A table that is wider than the screen scrolls by itself. */
export const tableStart = '<div class="table" role="group" aria-label="Table" tabindex="0"><table>';
export const tableEnd = '</table></div>';

type Rule = [tokens: Token[], index: number, options: unknown, rendering: RenderOptions];
const { rules } = markdown.renderer;
rules['table_open'] = () => tableStart;
rules['table_close'] = () => tableEnd;
rules['th_open'] = () => '<th scope="col">';
rules['fence'] = (tokens, index) => renderCode(tokens[index]!.content.trimEnd());
rules['heading_open'] = (...[tokens, index, , { deeper = 0 }]: Rule) => {
  const level = Number(tokens[index]!.tag.slice(1)) + deeper;
  return `<h${level} id="${anchorOf(textOf(tokens[index + 1]!.children ?? []))}">`;
};
rules['heading_close'] = (...[tokens, index, , { deeper = 0 }]: Rule) =>
  `</h${Number(tokens[index]!.tag.slice(1)) + deeper}>\n`;
rules['link_open'] = (...[tokens, index, , { anchorsOn = '' }]: Rule) => {
  const target = String(tokens[index]!.attrGet('href'));
  return `<a href="${markdown.utils.escapeHtml(target.startsWith('#') ? anchorsOn + target : target)}">`;
};

function textOf(parts: { content: string }[]): string {
  return parts.map(({ content }) => content).join('');
}
