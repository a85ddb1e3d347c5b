// Reads a rendered page again: the headings for its contents, and the text below each heading for the search.
export interface Heading {
  id: string;
  level: number;
  title: string;
  /** The method of the request that the heading names, or ''. */
  method: string;
}

export interface SearchEntry {
  /** The name of the page and, below an h2, of that part: `Public API, reportSessions`. */
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
  let part = '';
  return found.map(({ 0: whole, 1: level, 2: id, 4: inner = '', index }, place) => {
    const title = textOf(inner);
    if (level === '2') part = title;
    const text = textOf(main.slice(index + whole.length, found[place + 1]?.index));
    return { page: level === '2' ? page : `${page}, ${part}`, url: `${path}#${id}`, title, text };
  });
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** Without the forms, which hold no text of the contracts. */
function textOf(html: string): string {
  return (
    html
      .replaceAll(/<form.*?<\/form>/gs, ' ')
      // Within a word no space may come from a tag.
      .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}
