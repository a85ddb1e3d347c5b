// Makes a certificate for a server of tests, signed by a root of its own, as the operator of a database does.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type Extension,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMillis = 86_400_000;

/** Each in PEM. */
export interface ServerCertificate {
  root: string;
  certificate: string;
  key: string;
}

export async function mintServerCertificate(host: string): Promise<ServerCertificate> {
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [rootKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const certify = (subject: string, publicKey: webcrypto.CryptoKey, extensions: Extension[]) =>
    X509CertificateGenerator.create(
      {
        ...{ subject: `CN=${subject}`, issuer: 'CN=Own Root', publicKey, extensions },
        ...{ signingKey: rootKeys.privateKey, signingAlgorithm: algorithm },
        notBefore: new Date(Date.now() - dayMillis),
        notAfter: new Date(Date.now() + dayMillis),
      },
      webcrypto,
    );
  const root = await certify('Own Root', rootKeys.publicKey, [new BasicConstraintsExtension(true)]);
  const names = new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]);
  const certificate = await certify(host, keys.publicKey, [new BasicConstraintsExtension(false), names]);
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { root: root.toString('pem'), certificate: certificate.toString('pem'), key };
}
