// The library's messages about input without the values that they quote: a password in the wrong place is still a password.

/** What graphql-js says, and what of it is said on; the first that fits. */
const quoting: [RegExp, string][] = [
  [/^(Variable "\$\w+") got invalid value [\s\S]* at "(\w+(?:\.\w+|\[\d+\])*)"; (.*)$/, '$1 is not valid at "$2": $3'],
  [/^(Variable "\$\w+") got invalid value [\s\S]*; (.*)$/, '$1 is not valid: $2'],
  [
    /^([\s\S]*)\b((?:String|Int|Float|Boolean|ID|UUID|DateTime|JSON|Enum "\w+") cannot represent [^:]*): [\s\S]*$/,
    '$1$2.',
  ],
  [/^([\s\S]*)(Expected value of type "[^"]+"), found [\s\S]*$/, '$1$2.'],
  [/^([\s\S]*)Value "[\s\S]*" (does not exist in "\w+" enum\.)[\s\S]*$/, '$1The value $2'],
];

export function withoutValues(message: string): string {
  return quoting.reduce((text, [form, kept]) => text.replace(form, kept), message);
}
