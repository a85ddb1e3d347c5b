// E-mail addresses: the one form in which the service stores and compares them (schema.graphql, "Texts").
import { domainToASCII, domainToUnicode } from 'node:url';
import validator from 'validator';
import { type InputRules, isLongerThan, isStorableText, trimmed } from '../platform/inputRules.ts';

const longestEmail = 254;

const localPart = String.raw`[^\p{White_Space}\p{Cc}\p{Cf}@<>(),;:\\"[\]]+`;
// Some scripts need U+200C and U+200D between letters. IDNA decides where they are valid.
const domain = String.raw`(?:[a-z0-9._-]|(?=[\u200c\u200d]|\P{Cf})[^\0-\x7f])+`;
const address = new RegExp(`^${localPart}@${domain}$`, 'iu');
const asciiDomain = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * The local part in lower case and composed (NFC), the domain as IDNA maps it, in Unicode. Mail to `corp。example` or
 * `CORP.example` goes to `corp.example`, so these must not be other accounts. A text that is no address is only put in
 * lower case.
 */
export function emailForm(value: string): string {
  return addressOf(value) ?? trimmed(value).toLowerCase();
}

/** Returns an input's e-mail address in its stored form. */
export function readEmail(rules: InputRules, path: string, value: string): string {
  const email = addressOf(value);
  if (email !== null && isStorableText(email) && !isLongerThan(email, longestEmail) && isMailable(email)) return email;
  rules.refuse(path, `must be an e-mail address of at most ${longestEmail} characters`);
  return value;
}

/**
 * A stranger's mailbox gets mail on a caller's word: no host of this network (`root@localhost`), and no local part that some
 * mail servers read as a program or a route (`|cat@`, `a%b@`, `a!b@`).
 */
function isMailable(email: string): boolean {
  const at = email.lastIndexOf('@');
  const ascii = `${email.slice(0, at)}@${domainToASCII(email.slice(at + 1))}`;
  return validator.isEmail(ascii, { allow_underscores: true, blacklisted_chars: '|!%`' });
}

/** Null for a text that is no address. */
function addressOf(value: string): string | null {
  const text = trimmed(value);
  // The domain goes to a URL parser, which accepts more than the characters of a domain and is slow for long texts.
  if (text.length > 2 * longestEmail || !address.test(text)) return null;
  const at = text.indexOf('@');
  const ascii = domainToASCII(text.slice(at + 1));
  if (!asciiDomain.test(ascii)) return null;
  return `${text.slice(0, at).toLowerCase().normalize('NFC')}@${unicodeOf(ascii)}`;
}

/** Node decodes `xn--corp-.example` to another domain. A domain that does not encode back to itself stays in ASCII. */
function unicodeOf(ascii: string): string {
  const unicode = domainToUnicode(ascii);
  return domainToASCII(unicode) === ascii ? unicode : ascii;
}
