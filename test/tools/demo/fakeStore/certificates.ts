// Makes a certificate chain like the store's: root, intermediate and leaf, with the marker extensions of the store.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

export interface Chain {
  /** Leaf, intermediate and root, each DER in base64, as in the `x5c` header of a JWS. */
  x5c: [string, string, string];
  rootPem: string;
  leafKey: KeyObject;
  /** The root's keys, which can sign further intermediates. */
  root: Keys;
}

export interface ChainOptions {
  /** The end of the leaf's validity. Default: in ten years. */
  leafExpires?: Date;
  /** Leaves the marker extensions out: the chain is valid, but it is not the store's. */
  withoutMarkers?: boolean;
  /** The chain whose root signs this one. Default: a new root. */
  signedBy?: Chain;
}

const markers = { intermediate: '1.2.840.113635.100.6.2.1', leaf: '1.2.840.113635.100.6.11.1' };
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const year = 365 * 86_400_000;

export async function mintChain({ leafExpires, withoutMarkers = false, signedBy }: ChainOptions = {}): Promise<Chain> {
  const [intermediate, leaf, root] = await Promise.all([newKeys(), newKeys(), signedBy?.root ?? newKeys()]);
  const marker = (oid: string): Extension[] => (withoutMarkers ? [] : [new Extension(oid, false, Uint8Array.of(5, 0))]);
  const rootCertificate = await certify('Fake Root', root, { issuer: 'Fake Root', by: root, ca: true });
  const intermediateCertificate = await certify('Fake Intermediate', intermediate, {
    ...{ issuer: 'Fake Root', by: root, ca: true },
    extensions: marker(markers.intermediate),
  });
  const leafCertificate = await certify('Fake Leaf', leaf, {
    ...{ issuer: 'Fake Intermediate', by: intermediate, ca: false },
    extensions: marker(markers.leaf),
    expires: leafExpires,
  });
  return {
    x5c: [der(leafCertificate), der(intermediateCertificate), der(rootCertificate)],
    rootPem: rootCertificate.toString('pem'),
    leafKey: KeyObject.from(leaf.privateKey),
    root,
  };
}

type Keys = Awaited<ReturnType<typeof newKeys>>;

async function newKeys() {
  return await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

interface Certification {
  issuer: string;
  by: Keys;
  ca: boolean;
  extensions?: Extension[];
  expires?: Date | undefined;
}

function certify(subject: string, keys: Keys, { issuer, by, ca, extensions = [], expires }: Certification) {
  const usage = ca ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature;
  return X509CertificateGenerator.create(
    {
      subject: `CN=${subject}`,
      issuer: `CN=${issuer}`,
      notBefore: new Date(Date.now() - 10 * year),
      notAfter: expires ?? new Date(Date.now() + 10 * year),
      publicKey: keys.publicKey,
      signingKey: by.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(ca), new KeyUsagesExtension(usage, true), ...extensions],
    },
    // The same object as the global `crypto`, whose DOM types this project leaves out.
    webcrypto,
  );
}

function der(certificate: X509Certificate): string {
  return Buffer.from(certificate.rawData).toString('base64');
}
