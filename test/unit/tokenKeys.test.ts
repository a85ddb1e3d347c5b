// Tokens during a change of their key: the first key makes new tokens, and tokens of every listed key are valid.
import { decodeProtectedHeader } from 'jose';
import { createAccessTokens } from '../../src/accounts/accessToken.ts';
import { createPasswordTokens } from '../../src/accounts/passwordTokens.ts';
import { createRefreshTokens } from '../../src/accounts/refreshTokens.ts';
import { testKey } from '../support/keys.ts';

const [old, next] = [testKey('old'), testKey('next')];
const claims = {
  generation: 3,
  userId: '0198b7a0-0000-7000-8000-000000000001',
  sessionId: '0198b7a0-0000-7000-8000-000000000002',
};
const now = new Date('2026-11-01T12:00:00Z');

test('an access token names its key, is good under any list that has it, and under no other', async () => {
  const token = await createAccessTokens(old).issue(claims, now);
  expect(await createAccessTokens(next, old).read(token, now)).toEqual(claims);
  expect(await createAccessTokens(old, next).read(token, now)).toEqual(claims);
  expect(await createAccessTokens(next).read(token, now)).toBeNull();
  const newer = await createAccessTokens(next, old).issue(claims, now);
  expect(decodeProtectedHeader(newer).kid).not.toBe(decodeProtectedHeader(token).kid);
  expect(await createAccessTokens(next).read(newer, now)).toEqual(claims);
});

test('an access token that names another key of the list than it was signed with is refused', async () => {
  const [, payload, signature] = (await createAccessTokens(old).issue(claims, now)).split('.');
  const [header] = (await createAccessTokens(next).issue(claims, now)).split('.');
  expect(await createAccessTokens(next, old).read([header, payload, signature].join('.'), now)).toBeNull();
});

test('what was derived under an older key is found again', () => {
  const [before, after] = [createRefreshTokens(old), createRefreshTokens(next, old)];
  expect(after.successorOf('token')).not.toBe(before.successorOf('token'));
  expect(after.otherSuccessorsOf('token')).toEqual([before.successorOf('token')]);
  const [mails, mailsAfter] = [createPasswordTokens(old), createPasswordTokens(next, old)];
  expect(mailsAfter.tokenOf('mail')).toBe(createPasswordTokens(next).tokenOf('mail'));
  expect(mailsAfter.otherTokensOf('mail')).toEqual([mails.tokenOf('mail')]);
});
