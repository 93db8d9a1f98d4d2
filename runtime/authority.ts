import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { farmAuthority, nodeUri, scalerUri } from '../core/fleet/node-identity.ts'

/** PEM texts of a certificate and of its private key (PKCS #8, P-256). */
export type Identity = { readonly cert: string; readonly key: string }

/** Subject of a certificate: a scheduler by the host names that nodes use, a node by its id, or an autoscaler. */
export type Subject =
  | { readonly role: 'scheduler'; readonly hosts: readonly string[] }
  | { readonly role: 'node'; readonly nodeId: string; readonly name: string }
  | { readonly role: 'scaler' }

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 24 * 3_600_000
/** Clocks of the farm's machines differ by less. */
const skewMs = 5 * 60_000

/** Creates a certificate authority of the farm's own, valid for `days`. */
export async function createAuthority({
  days,
  name = farmAuthority,
}: {
  days: number
  name?: string
}): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${name}`, keys, signingAlgorithm: algorithm, ...lifeOf(days) },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: pemOf(certificate), key: await exportKey(keys.privateKey) }
}

/** Issues a certificate. A scheduler's serves only as a server, the others' only as a client. */
export async function issue(
  authority: Identity,
  { subject, days }: { subject: Subject; days: number },
): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { publicKey, privateKey } = keys
  const certificate = await certify(authority, { subject, days, publicKey })
  return { cert: pemOf(certificate), key: await exportKey(privateKey) }
}

/** Makes a key, which stays with its maker, and a request for a certificate of it (PKCS #10, DER). */
export async function createRequest(): Promise<{ readonly request: Buffer; readonly key: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const options = { name: 'CN=node', keys, signingAlgorithm: algorithm }
  const { rawData } = await Pkcs10CertificateRequestGenerator.create(options)
  return { request: Buffer.from(rawData), key: await exportKey(keys.privateKey) }
}

/** Refusal of a certificate request, with a sentence for its sender. */
export class RequestRefused extends Error {}

/**
 * Answers a request with a certificate. Only the key of the request counts, and it must be P-256 and
 * have signed the request. @throws RequestRefused
 */
export async function answerRequest(
  authority: Identity,
  { request, subject, days }: { request: Uint8Array; subject: Subject; days: number },
): Promise<string> {
  const publicKey = await readRequestKey(request)
  if (publicKey === undefined) {
    throw new RequestRefused('The certificate request must be of a P-256 key that has signed it.')
  }
  return pemOf(await certify(authority, { subject, days, publicKey }))
}

async function readRequestKey(request: Uint8Array): Promise<webcrypto.CryptoKey | undefined> {
  try {
    const parsed = new Pkcs10CertificateRequest(new Uint8Array(request))
    const key = await parsed.publicKey.export(algorithm, ['verify'])
    return (await parsed.verify()) ? key : undefined
  } catch {
    return undefined
  }
}

async function certify(
  authority: Identity,
  { subject, days, publicKey }: { subject: Subject; days: number; publicKey: webcrypto.CryptoKey },
): Promise<X509Certificate> {
  const issuer = new X509Certificate(authority.cert)
  return await X509CertificateGenerator.create({
    subject: [{ CN: [subject.role === 'node' ? subject.name : subject.role] }],
    ...{ issuer: issuer.subject, signingAlgorithm: algorithm, ...lifeOf(days) },
    publicKey,
    signingKey: await importKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([
        subject.role === 'scheduler' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth,
      ]),
      new SubjectAlternativeNameExtension(namesOf(subject)),
      await AuthorityKeyIdentifierExtension.create(issuer),
      await SubjectKeyIdentifierExtension.create(publicKey),
    ],
  })
}

function namesOf(subject: Subject): JsonGeneralNames {
  if (subject.role === 'node') return [{ type: 'url', value: nodeUri(subject.nodeId) }]
  if (subject.role === 'scaler') return [{ type: 'url', value: scalerUri }]
  return subject.hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))
}

function lifeOf(days: number) {
  return {
    notBefore: new Date(Date.now() - skewMs),
    notAfter: new Date(Date.now() + days * dayMs),
  }
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key)
  return `${PemConverter.encode(der, PemConverter.PrivateKeyTag)}\n`
}

/** Reads the key of an authority (PKCS #8, P-256). @throws Error for any other */
export async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = PemConverter.decode(pem)
  if (der === undefined) throw new Error('The key of an authority must be a PEM text')
  return await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}
