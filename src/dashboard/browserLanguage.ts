// Loaded before everything else: gives whatever formats numbers and times a language of the browser that Intl takes.

/**
 * `navigator.language` is not always a language tag (BCP 47): in Chrome with LANG=C it is `en-US@posix`. uPlot makes a
 * number format of it while it is loaded, and no screen with a chart could open.
 */
if (!isLanguageTag(navigator.language)) {
  // The texts of the page are English.
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
