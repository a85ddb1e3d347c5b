// E-mail addresses: the one form in which a mailbox's address is stored and compared, however its domain was spelt.
import { domainToASCII, domainToUnicode } from 'node:url';
import { isLongerThan, isStorableText, trimmed, type InputRules } from '../platform/inputRules.ts';

const longestEmail = 254;

const localPart = String.raw`[^\p{White_Space}\p{Cc}\p{Cf}@<>(),;:\\"[\]]+`;
// The two joiners are letters' neighbours in some scripts: where, the rules for domain names say.
const domain = String.raw`(?:[a-z0-9._-]|(?=[\u200c\u200d]|\P{Cf})[^\0-\x7f])+`;
const address = new RegExp(`^${localPart}@${domain}$`, 'iu');
const asciiDomain = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * The local part in lower case and composed (NFC), the domain as IDNA maps it, in Unicode: a mail to `corp。example` or
 * `CORP.example` goes to `corp.example`, and would be another account's. What is no address is in lower case only.
 */
export function emailForm(value: string): string {
  return addressOf(value) ?? trimmed(value).toLowerCase();
}

/** An e-mail address of an input, in the form in which it is stored. */
export function readEmail(rules: InputRules, path: string, value: string): string {
  const email = addressOf(value);
  if (email !== null && isStorableText(email) && !isLongerThan(email, longestEmail)) return email;
  rules.refuse(path, `must be an e-mail address of at most ${longestEmail} characters`);
  return value;
}

/** Null for what is no address. */
function addressOf(value: string): string | null {
  const text = trimmed(value);
  // Its domain goes to a parser of URLs, which reads more than letters into it and takes its time over long ones.
  if (text.length > 2 * longestEmail || !address.test(text)) return null;
  const at = text.indexOf('@');
  const ascii = domainToASCII(text.slice(at + 1));
  if (!asciiDomain.test(ascii)) return null;
  return `${text.slice(0, at).toLowerCase().normalize('NFC')}@${unicodeOf(ascii)}`;
}

/** `xn--corp-.example` is decoded to a name that it is not: one that is not encoded back stays as it is. */
function unicodeOf(ascii: string): string {
  const unicode = domainToUnicode(ascii);
  return domainToASCII(unicode) === ascii ? unicode : ascii;
}
