// E-mail addresses: the one form in which the service stores and compares them (schema.graphql, "Texts").
import { domainToASCII, domainToUnicode } from 'node:url';
import validator from 'validator';
import { isUniqueViolation } from '../platform/database/databaseErrors.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
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

// The SQL of the e-mail address that a user has: its lock, its change, and whether the user has proved its mailbox.

/** Returns the address. Waits like a change of the address, which needs the strongest lock because the column is unique. */
export async function lockEmailOf(transaction: Transaction, userId: string): Promise<string | null> {
  const statement = prepared('lock_email_of')`/* accounts: lockEmailOf */
    SELECT email FROM users WHERE id = ${userId} FOR UPDATE`;
  const { rows } = await transaction.query<{ email: string }>(statement);
  return rows[0]?.email ?? null;
}

export async function isEmailVerified(connection: SqlConnection, userId: string): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_email_verified')`/* accounts: isEmailVerified */
    SELECT FROM users WHERE id = ${userId} AND email_verified_at IS NOT NULL`);
  return rowCount === 1;
}

/** The user has proved the mailbox of the address. False where that is noted already. */
export async function noteEmailVerified(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('note_email_verified')`/* accounts: noteEmailVerified */
    UPDATE users SET email_verified_at = ${now} WHERE id = ${userId} AND email_verified_at IS NULL`);
  return rowCount === 1;
}

/** False where another account has the address. PostgreSQL has then ended the transaction. */
export async function changeEmail(
  transaction: Transaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<boolean> {
  try {
    await transaction.query(prepared('change_email')`/* accounts: changeEmail */
      UPDATE users SET email = ${email}, email_verified_at = ${now} WHERE id = ${userId}`);
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
