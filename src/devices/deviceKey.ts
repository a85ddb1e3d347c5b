// The 16-byte key of a device, the same on every process without a look-up.
import { createHash } from 'node:crypto';

/**
 * SHA-256 of the application's id and the device's id, cut to a UUID of version 8 (RFC 9562, 5.8). 122 bits: two
 * devices of one service meet by chance with a probability of 10⁻¹³ at a trillion devices, and the application's id
 * comes first, so no tenant can aim at another's devices.
 */
export function deviceKey(applicationId: string, deviceId: string): string {
  const hash = createHash('sha256').update(applicationId).update('\n').update(deviceId).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
