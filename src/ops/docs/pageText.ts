// Reads a rendered page again: the headings for its contents, and the text below each heading for the search.
export interface Heading {
  id: string;
  level: number;
  title: string;
  /** The method of the request that the heading names, or ''. */
  method: string;
}

export interface SearchEntry {
  /** The name of the page. */
  page: string;
  url: string;
  title: string;
  text: string;
}

/** The headings with an id, which the contents and the search lead to. The pages are this program's own. */
const heading = /<h([2-6]) id="([^"]+)"(?: data-method="([A-Z]+)")?>(.*?)<\/h\1>/gs;
const shownLevels = 3;

/** Levels 2 and 3. */
export function headingsIn(html: string): Heading[] {
  return [...html.matchAll(heading)]
    .map(([, level, id = '', method = '', title = '']) => ({ id, level: Number(level), title: textOf(title), method }))
    .filter(({ level }) => level <= shownLevels);
}

export function searchEntries({ page, path, html }: { page: string; path: string; html: string }): SearchEntry[] {
  const main = /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';
  const found = [...main.matchAll(heading)];
  return found.map(({ 0: whole, 2: id, 4: title = '', index }, place) => ({
    page,
    url: `${path}#${id}`,
    title: textOf(title),
    text: textOf(main.slice(index + whole.length, found[place + 1]?.index)),
  }));
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** Without the forms, which hold no text of the contracts. */
function textOf(html: string): string {
  return html
    .replaceAll(/<form.*?<\/form>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
