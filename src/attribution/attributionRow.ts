// The row from an attribution report: payloads are cut out of the body's text, so that every digit stays as it was sent.
import { createHash } from 'node:crypto';
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';

export type AttributionBody = components['schemas']['AttributionReport'];

/** Payloads are JSON text; null where the report says nothing of that provider. */
export interface AttributionRow {
  deviceKey: string;
  applicationId: string;
  deviceId: string;
  externalId: string | null;
  osVersion: string;
  providerA: string | null;
  storeSearchAds: string | null;
  providerB: string | null;
  custom: string | null;
  /** SHA-256 of all the fields above: an equal report of the same device has an equal hash. */
  bodyHash: Buffer;
}

/** `text` is the body that `body` was read from; it has passed the contract. */
export function attributionRow(body: AttributionBody, text: string, applicationId: string): AttributionRow {
  const root = parseTree(text)!;
  const row = {
    deviceKey: deviceKey(applicationId, body.device.id),
    applicationId,
    deviceId: body.device.id,
    externalId: body.device.external_id ?? null,
    osVersion: body.system.os_version,
    providerA: textOf(root, ['attribution', 'provider_a'], text),
    storeSearchAds: textOf(root, ['attribution', 'store_search_ads'], text),
    providerB: textOf(root, ['attribution', 'provider_b'], text),
    custom: textOf(root, ['custom'], text),
  };
  return { ...row, bodyHash: createHash('sha256').update(JSON.stringify(row)).digest() };
}

/** Absent, null and `{}` all mean that the provider is not used. */
function textOf(root: Node, path: string[], text: string): string | null {
  const node = findNodeAtLocation(root, path);
  if (node?.type !== 'object' || !node.children?.length) return null;
  return text.slice(node.offset, node.offset + node.length);
}
