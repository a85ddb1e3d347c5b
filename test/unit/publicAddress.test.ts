// Which addresses a webhook may have: everything that is not the public internet is refused, in every spelling.
import { isPublicAddress } from '../../src/webhooks/publicAddress.ts';
import { readWebhookInput } from '../../src/webhooks/webhookInput.ts';
import { faultOfUrl } from '../../src/webhooks/webhookUrl.ts';

const refused = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ...['::10.0.0.1', '64:ff9b::a00:1', '100::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
  ...['2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1', 'localhost', ''],
];
test.each(refused)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each<[string, boolean, boolean]>([
  ['https://shop.example.com/hooks?a=b', true, true],
  ['https://8.8.8.8/', true, true],
  ['http://shop.example.com/', false, true],
  ['http://localhost:9000/', false, true],
  ['http://127.0.0.1:9000/', false, true],
  ['http://[::1]:9000/', false, true],
  ['https://127.0.0.1/', false, true],
  ['https://2130706433/', false, true],
  ['https://0x7f.1/', false, true],
  ['https://10.0.0.1/', false, false],
  ['https://0xA9FEA9FE/', false, false],
  ['https://[::ffff:10.0.0.1]/', false, false],
  ['https://[fe80::1]/', false, false],
  ['ftp://shop.example.com/', false, false],
  ['https://ann:secret@shop.example.com/', false, false],
  ['https://shop.example.com/#a', false, false],
  ['shop.example.com', false, false],
  ['https://shop.example.com:0/', false, false],
  ['https://shop.example.com:8443/', true, true],
])('%s: in production %s, elsewhere %s', (url, inProduction, elsewhere) => {
  expect([faultOfUrl(url, { production: true }) === null, faultOfUrl(url, { production: false }) === null]).toEqual([
    inProduction,
    elsewhere,
  ]);
});

test.each([
  ' https://shop.example.com/',
  'https://shop.example.com/\n',
  'https://shop.example.com/a b',
  'https://sh\top.example.com',
])('white space in %j is refused before it is stored', (url) => {
  const input = { id: '0192f0c4-1111-7000-8000-000000000001', url };
  const fields = [{ path: 'input.url', message: 'must have no white space' }];
  expect(() => readWebhookInput(input as never, { production: true })).toThrow(
    expect.objectContaining({ code: 'validation_failed', details: { fields } }) as Error,
  );
});
