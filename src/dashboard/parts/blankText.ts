// A text that nobody can see, in words.

const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/** `3 blanks`, or the signs where they are others than blanks. Undefined for a text that can be seen, and for none. */
export function blankWords(text: string): string | undefined {
  if (!unseen.test(text)) return undefined;
  const signs = [...text];
  const number = signs.length === 1 ? '1 blank' : `${signs.length} blanks`;
  if (/^ +$/.test(text)) return number;
  const codes = signs
    .slice(0, 8)
    .map((sign) => `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  return `${number}: ${codes.join(' ')}${signs.length > codes.length ? ' …' : ''}`;
}
