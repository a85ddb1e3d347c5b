// The signature of events: the example that the libraries of Standard Webhooks test themselves with, and the tests' own verifier.
import { newWebhookSecret, signedEventHeaders } from '../../src/webhooks/webhookSecret.ts';
import { isSigned } from '../support/webhooks.ts';

const example = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
};

test('the example of the standard has the signature of the standard', () => {
  expect(signedEventHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', example)).toMatchObject({
    'webhook-id': example.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a secret of this service has 256 random bits, and the verifier refuses every change', () => {
  const secret = newWebhookSecret();
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  const headers = signedEventHeaders(secret, example);
  expect(isSigned(secret, headers, example.body)).toBe(true);
  expect(isSigned(secret, headers, `${example.body} `)).toBe(false);
  expect(isSigned(secret, { ...headers, 'webhook-id': 'another' }, example.body)).toBe(false);
  expect(isSigned(secret, { ...headers, 'webhook-timestamp': '1614265331' }, example.body)).toBe(false);
  expect(isSigned(newWebhookSecret(), headers, example.body)).toBe(false);
});
