// The form of API keys: a prefix that secret scanners can grep for and 32 base62 characters (190 random bits).
import { randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newApiKey(): { public: string; secret: string } {
  return { public: `pub_${randomBase62(32)}`, secret: `sec_${randomBase62(32)}` };
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('');
}
