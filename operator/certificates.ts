import { X509Certificate } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { enrolmentAuthority, isScaler, nodeIdOf } from '../core/fleet/node-identity.ts'
import { sha256 } from '../runtime/sha256.ts'
import { type Db, inTransaction } from '../store/db/database.ts'
import { addCertificate } from '../store/db/fleet/add-certificate.ts'
import { findCertificate } from '../store/db/fleet/find-certificate.ts'
import { type CertificateView, listCertificates } from '../store/db/fleet/list-certificates.ts'
import { moveNode } from '../store/db/fleet/move-node.ts'
import { revokeCertificates } from '../store/db/fleet/revoke-certificates.ts'
import { act } from './act.ts'
import { change, read } from './operation.ts'
import { IdOrName, Nullable, Time } from './schemas.ts'

const mostPem = 20_000
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const fingerprintShape = /^[0-9a-f]{64}$/
const nameShape = /^[\w.-]{1,64}$/

/** The private key stays where it was made; the farm gets what every peer sees. */
const Pem = Type.String({
  ...{ minLength: 1, maxLength: mostPem },
  description: 'Certificate as a PEM text, without its private key',
})

const Certificate = Type.Object({
  fingerprint: Type.String({ description: 'Hex sha256 of the certificate' }),
  nodeId: Type.String({ format: 'uuid' }),
  nodeName: Type.String(),
  status: Type.Enum(['valid', 'expired', 'revoked']),
  issuedAt: Time,
  expiresAt: Time,
  revokedAt: Nullable(Time),
  revokedWhy: Nullable(Type.String()),
})
const Certificates = Type.Object({ certificates: Type.Array(Certificate) })

export const listCertificatesOperation = read({
  ...{ id: 'operatorListCertificates', path: '/certificates', role: 'viewer' },
  summary: 'List the certificates of nodes, the newest first',
  answer: Certificates,
  run: async ({ db }) => ({ certificates: await listCertificates(db) }),
})

export const recordCertificateOperation = change({
  ...{ id: 'operatorRecordCertificate', path: '/certificates', role: 'admin' },
  summary: 'Put a new authority, or a certificate of schedulers or an autoscaler, on record',
  body: Type.Object({ certificate: Pem }),
  answer: Type.Object({ fingerprint: Type.String(), expiresAt: Time }),
  async run({ db }, { certificate, why }, actor) {
    const found = readPem(certificate)
    const { fingerprint, expiresAt } = found
    if (found.nodeId !== undefined) throw unfit('certificate must not be that of a node', 'one')
    await act(
      db,
      { what: `certs ${found.of}`, subject: fingerprint, why, actor },
      async () => undefined,
    )
    return { fingerprint, expiresAt }
  },
})

export const admitNodeOperation = change({
  ...{ id: 'operatorAdmitNode', path: '/certificates/nodes', role: 'admin' },
  summary: 'Admit a node by its certificate, which the farm’s authority has signed',
  body: Type.Object({
    certificate: Pem,
    tokenHash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      title: 'the hex sha256 of the node’s token',
    }),
  }),
  answer: Certificate,
  async run({ db }, { certificate, tokenHash, why }, actor) {
    const { fingerprint, expiresAt, nodeId, name: nodeName } = readPem(certificate)
    if (nodeId === undefined || !uuidShape.test(nodeId)) {
      throw unfit('certificate must name one node by its id', 'none, or several')
    }
    if (!nameShape.test(nodeName)) {
      const rule = 'certificate must name its node in letters, digits, dots, dashes and underscores'
      throw unfit(rule, nodeName)
    }
    await act(db, { what: 'certs node', subject: nodeId, why, actor }, async (tx) => {
      if (await findCertificate(tx, fingerprint)) {
        throw new FarmError('conflict', `certificate must be new. Got a known one, ${fingerprint}`)
      }
      await addCertificate(tx, { fingerprint, nodeId, nodeName, tokenHash, expiresAt })
    })
    return await requireCertificate(db, fingerprint)
  },
})

export const revokeCertificatesOperation = change({
  ...{ id: 'operatorRevokeCertificates', path: '/certificates/revoke', role: 'operator' },
  summary: 'Revoke certificates: their nodes are refused and get no more work',
  body: Type.Object({
    which: {
      ...IdOrName,
      description: 'Fingerprint, or the id or name of a node for all its certificates',
    },
  }),
  answer: Certificates,
  async run({ db }, { which: asked, why }, actor) {
    const which = knownForm(asked)
    await inTransaction(db, async (tx) => {
      const nodes = await revokeCertificates(tx, { which, why })
      if (nodes.length === 0) {
        const rule = 'WHICH must be the fingerprint or the node of a valid certificate'
        throw new FarmError('not_found', `${rule}. Got ${which}`)
      }
      const left = (await listCertificates(tx)).filter(({ status }) => status === 'valid')
      for (const nodeId of nodes) {
        await act(tx, { what: `certs revoke ${which}`, subject: nodeId, why, actor }, async () => {
          if (left.some((certificate) => certificate.nodeId === nodeId)) return
          const reason = `its certificate was revoked: ${why}`
          await moveNode(tx, { nodeId, act: 'cordon', reason })
        })
      }
    })
    return { certificates: await listCertificates(db) }
  },
})

/** Ids and fingerprints are kept in lower case; names are as they are. */
function knownForm(which: string): string {
  const lower = which.toLowerCase()
  return uuidShape.test(lower) || fingerprintShape.test(lower) ? lower : which
}

/** @throws FarmError unless it is one certificate in PEM */
function readPem(pem: string) {
  if (/PRIVATE KEY/.test(pem)) throw unfit('certificate must come without a private key', 'one')
  try {
    const { raw, validToDate, subject, subjectAltName, ca } = new X509Certificate(pem)
    const name = /^CN=(.+)$/m.exec(subject)?.[1] ?? ''
    return {
      fingerprint: sha256(raw),
      expiresAt: validToDate,
      nodeId: nodeIdOf(subjectAltName),
      name,
      of: ca
        ? authorityOf(name)
        : isScaler(subjectAltName)
          ? 'scaler'
          : `scheduler ${hostsIn(subjectAltName)}`,
    }
  } catch {
    throw unfit('certificate must be an X.509 certificate as a PEM text', 'something else')
  }
}

const authorityOf = (name: string) => (name === enrolmentAuthority ? 'enrolment' : 'ca')

/** Lists hosts with commas. Names are like `DNS:scheduler.internal, IP Address:10.0.0.1`. */
function hostsIn(names = ''): string {
  return names
    .split(', ')
    .map((name) => name.slice(name.indexOf(':') + 1))
    .join(',')
}

function unfit(rule: string, seen: string): FarmError {
  return new FarmError('invalid_value', `${rule}. Got ${seen}`, { field: 'certificate' })
}

async function requireCertificate(db: Db, fingerprint: string): Promise<CertificateView> {
  const found = (await listCertificates(db)).find((each) => each.fingerprint === fingerprint)
  if (found) return found
  throw new Error('A certificate that was admitted must be listed')
}
