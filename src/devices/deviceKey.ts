// The 16-byte key of a device, which every process computes without a look-up (docs/decisions/session-numbers.md).
import { hash } from 'node:crypto';
import { uuidOfHex } from '../platform/uuid.ts';

/**
 * SHA-256 of the application's id and the device's id, cut to a UUID of version 8 (RFC 9562, 5.8). 122 bits remain: at a
 * trillion devices, two of them collide with a probability of 10⁻¹³. The application's id comes first, so that no tenant
 * can aim at another tenant's devices.
 */
export function deviceKey(applicationId: string, deviceId: string): string {
  const hex = hash('sha256', `${applicationId}\n${deviceId}`, 'hex');
  const variant = variants[parseInt(hex[16]!, 16) & 3]!;
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`);
}

/** The variant leaves two bits of this digit to the hash. */
const variants = ['8', '9', 'a', 'b'];
