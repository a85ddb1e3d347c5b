// Texts that devices may send and that a page shows as they are: slashes, quotes, spaces, markup, right-to-left, and length.

export const strangeId = `a/b?c=1&d#e "quoted" 'x' %2F +  <b>bold</b> \u05d0\u05d1\u05d2 \u202Egnirts`;
export const longText = 'W'.repeat(256);
/** The code of a number: the URL must not turn it into one. */
export const numberId = '007';
