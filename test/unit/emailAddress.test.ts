// One mailbox has one address: all its spellings have one form, and a text that is no address is refused.
import { domainToASCII } from 'node:url';
import { AppError } from '../../src/platform/errors.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { emailForm, readEmail } from '../../src/accounts/emailAddress.ts';

function isRefused(address: string): boolean {
  const rules = inputRules();
  readEmail(rules, 'input.email', address);
  try {
    rules.assert();
    return false;
  } catch (error) {
    return error instanceof AppError;
  }
}

test.each([
  ['ceo@corp\u3002example', 'ceo@corp.example'],
  ['ceo@corp\uff0eexample', 'ceo@corp.example'],
  ['CEO@ｃｏｒｐ.Example', 'ceo@corp.example'],
  ['ceo@corp\ufe0f.example', 'ceo@corp.example'],
  ['\u00a0Jürgen@BÜCHER.example\t', 'jürgen@bücher.example'],
  ['ju\u0308rgen@bu\u0308cher.example', 'jürgen@bücher.example'],
  ['jürgen@xn--bcher-kva.example', 'jürgen@bücher.example'],
  ['x@نامه\u200cای.example', 'x@نامه\u200cای.example'],
  ['x@a_b-c.example', 'x@a_b-c.example'],
  [`${'a'.repeat(64)}@b.cd`, `${'a'.repeat(64)}@b.cd`],
  ["o'brien+news/x@corp.example", "o'brien+news/x@corp.example"],
])('%j is stored as %j', (typed, form) => {
  expect(emailForm(typed)).toBe(form);
  expect(isRefused(typed)).toBe(false);
  const rules = inputRules();
  expect(readEmail(rules, 'input.email', typed)).toBe(form);
  expect(emailForm(form)).toBe(form);
});

test.each([
  'ceo@corp.example\u200b',
  'ceo@co\u00adrp.example',
  'ce\u202eo@corp.example',
  'ce\u200co@corp.example',
  'ce\u0007o@corp.example',
  'ceo\ud800@corp.example',
  'ceo,cfo@corp.example',
  'ceo;cfo@corp.example',
  'ceo:cfo@corp.example',
  '<ceo@corp.example',
  'ceo(cfo)@corp.example',
  '"ceo"@corp.example',
  'ceo[1]@corp.example',
  'ceo\\@corp.example',
  'ceo @corp.example',
  'ceo@cfo@corp.example',
  'ceo@a\u200cb.example',
  'ceo@corp.example/b',
  'ceo@corp.ex%61mple',
  'ceo@corp.example?b',
  'ceo@corp.example#b',
  'ceo@corp.example:25',
  'ceo@corp.example／b',
  'ceo@corp.example.',
  'ceo@corp.example\u3002',
  'ceo@.corp.example',
  'ceo@corp..example',
  'ceo@xn--a.example',
  'ceo@xn--corp-.example',
  'ceo@corp.123',
  `${'a'.repeat(65)}@b.cd`,
  'root@localhost',
  '|cat@corp.example',
  'a%other.example@corp.example',
  'other.example!a@corp.example',
  '.ceo@corp.example',
  'ceo@-corp.example',
  `a@${'ü'.repeat(50_000)}.example`,
  'ceo@corp\ud800.example',
])('%j is refused, and is in no other form than before', (address) => {
  expect(isRefused(address)).toBe(true);
  expect(emailForm(address)).toBe(address);
});

test('the domain that is stored names the same host as the one that was typed', () => {
  for (const domain of ['straẞe.example', 'ΣΑΣ.example', 'ⓒorp.example', 'İ.example', 'K.example']) {
    const [, stored] = emailForm(`a@${domain}`).split('@');
    expect(domainToASCII(stored!)).toBe(domainToASCII(domain));
  }
});
