// The rules for texts in the admin API's inputs (schema.graphql, "Limits"). Each check notes its problem, and one error reports all.
import { AppError, type FieldError } from './errors.ts';

const whiteSpace = /^\p{White_Space}$/u;
/** The same number as in the public API. A body of 100 kB can have 20,000 problems. */
const mostFields = 100;
// A name is shown in mails and on one line of a page.
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** An embedding or isolate that a name opens goes on behind it: a member's name could turn the address beside it around. */
const directing = /[\u202a-\u202e\u2066-\u2069]/;
/** Pages make links of pictures. Browsers drop white space and control characters inside of a scheme. */
const script = /^(?:javascript|vbscript|data(?!:image\/)):/i;
const dropped = /[\p{Cc}\p{White_Space}]/gu;

export interface InputRules {
  /** Only the first problem of a path is reported. */
  refuse(path: string, message: string): void;
  /** Checks a text: storable, and at most this many code points. */
  text(path: string, value: string, most: number): string;
  /** Checks a name: 1 to 256 code points on one line, in its own direction, not blank, no white space around it. */
  name(path: string, value: string): string;
  /** The name in an edit: absent means unchanged, null is refused. A `required` name must not be absent. */
  editedName(path: string, value: string | null | undefined, required: boolean): string | undefined;
  /** The picture in an edit: absent means unchanged, null and an empty text clear it. */
  picture(path: string, value: string | null | undefined): string | null | undefined;
  /** Checks for one of these words. Null and absent are refused. */
  oneOf<Word extends string>(path: string, value: string | null | undefined, words: readonly Word[]): Word | undefined;
  /** Throws `validation_failed` with the first hundred problems, if there is any. */
  assert(): void;
}

export function inputRules(): InputRules {
  const fields: FieldError[] = [];
  const refuse = (path: string, message: string): void => {
    if (fields.length < mostFields && fields.every((field) => field.path !== path)) fields.push({ path, message });
  };
  function text(path: string, value: string, most: number): string {
    if (!isStorableText(value)) refuse(path, 'must not contain U+0000 or half of a surrogate pair');
    else if (isLongerThan(value, most)) refuse(path, `must have at most ${most} characters`);
    return value;
  }
  function name(path: string, value: string): string {
    const result = trimmed(value);
    const fault = faultOfName(result);
    if (fault !== null) refuse(path, fault);
    return text(path, result, 256);
  }
  return {
    refuse,
    text,
    name,
    editedName(path, value, required) {
      if (typeof value === 'string') return name(path, value);
      if (value === null) refuse(path, 'must not be null');
      else if (required) refuse(path, 'is required');
      return undefined;
    },
    picture(path, value) {
      if (isScript(value)) refuse(path, 'must not be a URL that runs in a page');
      return typeof value === 'string' ? text(path, value, 2_048) || null : value;
    },
    oneOf(path, value, words) {
      const word = words.find((known) => known === value);
      if (word === undefined) refuse(path, `must be one of ${words.join(', ')}`);
      return word;
    },
    assert() {
      if (fields.length > 0) throw new AppError('validation_failed', { fields });
    },
  };
}

function faultOfName(name: string): string | null {
  if (name === '') return 'must not be blank';
  if (lineBreaking.test(name)) return 'must not contain line breaks or other control characters';
  return directing.test(name) ? 'must not contain characters that direct the text around them' : null;
}

function isScript(picture: string | null | undefined): boolean {
  return script.test((picture ?? '').replace(dropped, ''));
}

/** Whether PostgreSQL stores this text and gives it back unchanged. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Counts code points only as far as needed: a body may hold 100,000. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}

export function isBlank(text: string): boolean {
  return trimmed(text) === '';
}

/** Checks a name that is compared with an app's own text: 1 to 256 code points, not blank, nothing trimmed. */
export function readExactName(rules: InputRules, path: string, value: string): string {
  if (isBlank(value)) rules.refuse(path, 'must not be blank');
  else rules.text(path, value, 256);
  return value;
}

/** Null and absent give null. */
export function readWholeNumber(
  rules: InputRules,
  path: string,
  { value, least, most }: { value: number | null | undefined; least: number; most: number },
): number | null {
  if (value == null) return null;
  if (!Number.isInteger(value) || value < least || value > most) {
    rules.refuse(path, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

const longestPage = 200;

/** A list's `limit`: null and absent mean the default. */
export function readLimit(
  rules: InputRules,
  limit: number | null | undefined,
  { byDefault, longest = longestPage }: { byDefault: number; longest?: number },
): number {
  const wanted = limit ?? byDefault;
  if (wanted < 1 || wanted > longest) rules.refuse('limit', `must be 1 to ${longest}`);
  return wanted;
}

export function readOffset(rules: InputRules, offset: number | null | undefined): number {
  const wanted = offset ?? 0;
  if (wanted < 0) rules.refuse('offset', 'must be 0 or more');
  return wanted;
}

/** Unicode white space. Not a regular expression: one for the end of the text is quadratic in inner white space. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && whiteSpace.test(text[start]!)) start += 1;
  while (end > start && whiteSpace.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
