// How a text that strangers may choose stands in a mail: quoted, short, and without anything that a mail program makes a link of.
const longest = 64;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A company may be called Booking.com, so names are stored as they are. A zero width space behind each character that links
 * are made of keeps the name readable and leaves no link. Invisible format characters, which could turn the text around it, go.
 */
export function quotedName(name: string): string {
  const plain = name.replace(/\p{Cf}/gu, '').replace(/[\p{White_Space}\p{Cc}]+/gu, ' ');
  const all = [...letters.segment(plain)].map(({ segment }) => segment);
  const short = all.length > longest ? `${all.slice(0, longest).join('')}…` : plain;
  return `"${short.replace(/"/g, "'").replace(/[.:/@\\。．｡]|www/gi, '$&\u200b')}"`;
}
