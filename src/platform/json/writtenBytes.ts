// The length of JSON as PostgreSQL writes it. PostgreSQL writes numbers out: 5e-324, six characters, becomes 326.

/** In UTF-8, without white space. */
export function writtenBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + bytesWrittenMore(value);
}

function bytesWrittenMore(value: unknown): number {
  if (typeof value === 'number') return digitsWrittenMore(String(value));
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + bytesWrittenMore(item), 0);
}

/** 1.5e-7 becomes 0.00000015. */
function digitsWrittenMore(number: string): number {
  const [mantissa, exponent] = number.split('e');
  if (exponent === undefined) return 0;
  return mantissa!.replace('.', '').length + Math.abs(Number(exponent)) + 1 - number.length;
}
