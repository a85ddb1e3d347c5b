// Makes rules of the vectors in test/vectors: the server gets its vectors, and the reference SDK all others.
import { isDeepStrictEqual } from 'node:util';
import { expectResponse, type Rule } from './rule.ts';
import { loadVectors, sdkVectors, type PathVector, type SignatureVector } from './vectors.ts';

/** The service has another secret than a vector, so its bytes are signed again. They must pass the signature check. */
function signedBytes(): Rule[] {
  const { vectors } = loadVectors<SignatureVector>('signature.json');
  return vectors.map(({ name, nonce, bodyBase64 }) => ({
    group: 'signature.json, sent',
    name,
    async check(service) {
      const body = Buffer.from(bodyBase64, 'base64');
      // A suffix makes each nonce unique: the vectors share one nonce, and the service remembers nonces.
      const response = await service.session(body, { nonce: `${nonce.slice(0, 22)}${Date.now()}${counter++}` });
      if (response.status === 403) throw new Error(`refused: ${JSON.stringify(response.body)}`);
    },
  }));
}

let counter = 0;

function fieldPaths(): Rule[] {
  return loadVectors<PathVector>('paths.json').vectors.map(({ name, operation, body, paths }) => ({
    group: 'paths.json, sent',
    name,
    async check(service) {
      const bytes = Buffer.from(body);
      const signature = operation === 'reportSessions' ? service.signature(bytes) : {};
      const response = await service.call(operation, { headers: signature, body: bytes });
      if (paths.length === 0) return expectResponse(response, 200);
      expectResponse(response, 422);
      const found = (response.body as { fields: { path: string }[] }).fields.map(({ path }) => path).sort();
      if (!isDeepStrictEqual(found, paths)) throw new Error(`fields are ${found.join(', ')}`);
    },
  }));
}

function ofTheSdk(): Rule[] {
  return sdkVectors().map(({ file, name, expected, result: outcome }) => ({
    group: `${file}, reference SDK`,
    name,
    async check() {
      const got = outcome();
      if (!isDeepStrictEqual(got, expected)) throw new Error(`got ${JSON.stringify(got)}`);
    },
  }));
}

export function vectorRules(): Rule[] {
  return [...signedBytes(), ...fieldPaths(), ...ofTheSdk()];
}
