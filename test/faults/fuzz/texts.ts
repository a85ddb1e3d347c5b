// The dictionary: texts and numbers that have broken similar services before, for every place that takes a text or a number.

/** Storable texts that have broken databases, paths and patterns, and words that the service itself reads. */
export const oddTexts: readonly string[] = [
  ...['a', '0', '-1', '1e400', 'null', 'undefined', 'NaN', 'true', '[]', '{}', '"', "'", '\\', '\\N', '\\.', '\\u0000'],
  ...['\u200b', 'a\u200b', '\u00a0a', '\ufeff', '\ufffd', '\ufffe', '\u{10ffff}', '\u{1f680}', 'e\u0301', '\u202etxt'],
  ...['a b', ' a ', 'a\tb', 'a\nb', 'a\r\nb', '\u0001', '\u001f', '\u007f', '\u0085x', '\u2028x', 'ß', 'İ', 'ﬀ'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'a.b', 'a[0]', 'a/b', 'a~1b'],
  ...['%00', '%s', '${x}', '{{x}}', "'; DROP TABLE events; --", '../../etc/passwd', '<script>', '$1', '{1,2}', '(1,2)'],
  ...[
    'campaignId',
    'result',
    'Completed',
    'Unavailable',
    'unavailableReason',
    'TimedOut',
    'key',
    'newValue',
    'success',
  ],
  ...['6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10', '6F1F0D5E-8C1B-4D3E-9A57-2F4F6F0F3A10', '9223372036854775808'],
];

export const blankTexts: readonly string[] = ['', ' ', '\t\n', '\u0085', '\u00a0', '\u2003\u3000', '\u2028', '\u1680'];

export const unstorableTexts: readonly string[] = ['\0', 'a\0b', '\ud800', 'x\udfff', '\udc00\ud800', 'a\ud83d'];

/** Numbers as JSON text: most of them would change as a double. */
export const oddNumbers: readonly string[] = [
  ...['0', '-0', '1.0', '1e3', '1E-400', '5e-324', '0.1', '-1', '1e21', '1e22', '123456789012345680000'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807'],
  ...[
    '-9223372036854775808',
    '9223372036854775808',
    '18446744073709551616',
    `1${'0'.repeat(300)}`,
    '1.7976931348623157e308',
  ],
  ...['253402300799', '253402300799.999', '253402300800', '-62135596801', '8640000000001', '1e400', '-1e400'],
  ...[`1${'0'.repeat(400)}`, `0.${'0'.repeat(400)}1`, '1e99999999999', '1e-99999999999'],
];

/** As JSON text. */
export const oddStructures: readonly string[] = [
  ...['null', 'true', 'false', '[]', '{}', '[null]', '[[]]', '{"":0}', '{"__proto__":{"id":"x"}}', '{"id":1,"id":1}'],
  ...['{"constructor":{"prototype":{"x":1}}}', '{"length":5000}', '{"toJSON":1}', '["\\u0000"]', '{"\\u0000":0}'],
  ...[`${'['.repeat(20)}${']'.repeat(20)}`, `${'['.repeat(40)}${']'.repeat(40)}`, `[${'0,'.repeat(6_000)}0]`],
];

export const oddInstants: readonly string[] = [
  ...[
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59.999999999-23:59',
    '1970-01-01T00:00:00Z',
  ],
  ...['2024-02-29T23:59:59.5Z', '2000-02-29T00:00:00+00', '2026-09-10T02:10:00,250+0200', '1969-12-31T23:59:59-00:00'],
  ...['2026-11-25T06:40Z', '2024-02-29T00:00+05:30', '9999-12-31T23:59-2359', '0001-01-01T00:00+00'],
];

export const noInstants: readonly string[] = [
  ...[
    '',
    'x',
    '2026-09-10',
    '2026-09-10T02:10',
    '2026-09-10T02:10.5Z',
    '2026-09-10T02:10:Z',
    '2026-09-10T02:10:00',
    '2026-09-10 02:10:00Z',
    '2026-09-10t02:10:00z',
  ],
  ...['0000-01-01T00:00:00Z', '10000-01-01T00:00:00Z', '+02026-01-01T00:00:00Z', '-0001-01-01T00:00:00Z', 'infinity'],
  ...['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2025-02-29T00:00:00Z', 'now', 'epoch'],
  ...['2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:60Z', '2026-01-01T00:00:00.Z', '1789000000'],
  ...['2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+1', '2026-01-01T00:00:00+01:60', ' 2026-01-01T00:00:00Z'],
  ...['2026-01-01T00:00:00Z\n', '２０２６-01-01T00:00:00Z', '2026-W01-1T00:00:00Z', '2026-01-01T00:00:00 +01:00'],
];
