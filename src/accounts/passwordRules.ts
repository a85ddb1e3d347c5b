// The rules for a new password: 8 to 256 characters, not a common one, taken as it is (schema.graphql, "Passwords").
import { isLongerThan, isStorableText, type InputRules } from '../platform/inputRules.ts';
import { isCommonPassword } from './commonPasswords.ts';

const shortest = 8;
const longest = 256;

export function checkNewPassword(rules: InputRules, path: string, password: string): void {
  if (!isStorableText(password)) rules.refuse(path, 'must not contain U+0000 or half of a surrogate pair');
  else if (!isLongerThan(password, shortest - 1) || isLongerThan(password, longest)) {
    rules.refuse(path, `must have ${shortest} to ${longest} characters`);
  } else if (isCommonPassword(password)) rules.refuse(path, 'is one of the most common passwords');
}
