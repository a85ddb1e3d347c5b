// The 16-byte key of a device, the same on every process without a look-up.
import { hash } from 'node:crypto';
import { uuidOfHex } from '../platform/uuid.ts';

/**
 * SHA-256 of the application's id and the device's id, cut to a UUID of version 8 (RFC 9562, 5.8). 122 bits: two
 * devices of one service meet by chance with a probability of 10⁻¹³ at a trillion devices, and the application's id
 * comes first, so no tenant can aim at another's devices.
 */
export function deviceKey(applicationId: string, deviceId: string): string {
  const hex = hash('sha256', `${applicationId}\n${deviceId}`, 'hex');
  const variant = variants[parseInt(hex[16]!, 16) & 3]!;
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`);
}

/** Of the two bits that the variant leaves. */
const variants = ['8', '9', 'a', 'b'];
