import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enrolmentAuthority } from '../../core/fleet/node-identity.ts'
import {
  admitNodeOperation,
  listCertificatesOperation,
  recordCertificateOperation,
  revokeCertificatesOperation,
} from '../../operator/certificates.ts'
import { createAuthority, type Identity, issue } from '../../runtime/authority.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { CertificateView } from '../../store/db/fleet/list-certificates.ts'
import { answerRows, operateFarm } from '../accounts/operate.ts'
import { Failure } from '../failure.ts'
import type { ActOptions } from '../fleet/act.ts'

/** Folder of the certificates, and the days for which they are valid. */
type Making = { readonly dir: string; readonly days: number }

const authorityFile = 'ca'
const scalerFile = 'scaler'
const enrolmentFile = 'enrolment'
const takenNames = [authorityFile, 'scheduler', scalerFile, enrolmentFile]

/** `farm certs ca` */
export async function makeAuthority({
  dir,
  days,
  why,
  ...options
}: Making & ActOptions): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const authority = await createAuthority({ days })
  await operateFarm(options, async (farm) => {
    const made = await keepWith({ dir, name: authorityFile, identity: authority }, () =>
      farm.run(recordCertificateOperation, { certificate: authority.cert, why }),
    )
    const text = [
      `${join(dir, 'ca.pem')}  for every scheduler and node (FARM_TLS_CA)`,
      `${join(dir, 'ca.key')}  private: it can sign a certificate for any node. Keep it off the farm.`,
    ].join('\n')
    return { json: made, text }
  })
}

/** `farm certs scheduler` */
export async function makeSchedulerCertificate({
  dir,
  days,
  hosts,
  why,
  ...options
}: Making & ActOptions & { hosts: readonly string[] }): Promise<void> {
  if (hosts.length === 0)
    throw new Failure(
      '--host must name the addresses that nodes use for the scheduler. Got nothing',
    )
  const subject = { role: 'scheduler', hosts } as const
  const identity = await issue(await readAuthority(dir), { subject, days })
  await operateFarm(options, async (farm) => {
    const made = await keepWith({ dir, name: 'scheduler', identity }, () =>
      farm.run(recordCertificateOperation, { certificate: identity.cert, why }),
    )
    return { json: made, text: settingsOf(dir, 'scheduler').join('\n') }
  })
}

/** `farm certs enrolment`: makes the authority whose certificates enrolled nodes get. */
export async function makeEnrolmentAuthority({
  dir,
  days,
  why,
  ...options
}: Making & ActOptions): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const authority = await createAuthority({ days, name: enrolmentAuthority })
  await operateFarm(options, async (farm) => {
    const made = await keepWith({ dir, name: enrolmentFile, identity: authority }, () =>
      farm.run(recordCertificateOperation, { certificate: authority.cert, why }),
    )
    const text = [
      `FARM_ENROLMENT_CA_CERT=${join(dir, `${enrolmentFile}.pem`)}`,
      `FARM_ENROLMENT_CA_KEY=${join(dir, `${enrolmentFile}.key`)}`,
    ].join('\n')
    return { json: made, text }
  })
}

/** `farm certs scaler`: lets an autoscaler read how many slots each pool wants. */
export async function makeScalerCertificate({
  dir,
  days,
  why,
  ...options
}: Making & ActOptions): Promise<void> {
  const identity = await issue(await readAuthority(dir), { subject: { role: 'scaler' }, days })
  await operateFarm(options, async (farm) => {
    const made = await keepWith({ dir, name: scalerFile, identity }, () =>
      farm.run(recordCertificateOperation, { certificate: identity.cert, why }),
    )
    const text = [
      `caCert: ${join(dir, 'ca.pem')}`,
      `tlsClientCert: ${join(dir, `${scalerFile}.pem`)}`,
      `tlsClientKey: ${join(dir, `${scalerFile}.key`)}`,
    ].join('\n')
    return { json: made, text }
  })
}

/**
 * `farm certs node NAME`: makes the node's certificate, key and token, and admits the node with
 * them. The farm gets the certificate and a hash of the token, which is shown only once.
 */
export async function makeNodeCertificate({
  name,
  id = randomUUID(),
  dir,
  days,
  why,
  ...options
}: Making & { name: string; id?: string } & ActOptions): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name) || takenNames.includes(name)) {
    const rule = `up to 64 letters, digits, dots, dashes and underscores, not ${takenNames.join(' or ')}`
    throw new Failure(`NAME must be ${rule}. Got ${name}`)
  }
  const authority = await readAuthority(dir)
  const token = `node_${randomBytes(32).toString('hex')}`
  const subject = { role: 'node', nodeId: id, name } as const
  const identity = await issue(authority, { subject, days })
  await operateFarm(options, async (farm) => {
    const { fingerprint, expiresAt } = await keepWith({ dir, name, identity }, () =>
      farm.run(admitNodeOperation, { certificate: identity.cert, tokenHash: sha256(token), why }),
    )
    const settings = [...settingsOf(dir, name), `FARM_NODE_TOKEN=${token}`]
    return {
      json: { nodeId: id, name, fingerprint, expiresAt, token },
      text: [`# node ${id} until ${expiresAt.toISOString()}`, ...settings].join('\n'),
    }
  })
}

/** `farm certs list` */
export async function showCertificates({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { certificates } = await farm.run(listCertificatesOperation, {})
    return answerRows(certificates.map(rowOf))
  })
}

/** `farm certs revoke WHICH`: its nodes are refused and get no more work. */
export async function revoke({ which, why, ...options }: { which: string } & ActOptions) {
  await operateFarm(options, async (farm) => {
    const { certificates } = await farm.run(revokeCertificatesOperation, { which, why })
    return answerRows(certificates.map(rowOf))
  })
}

function rowOf({ nodeName, nodeId, status, expiresAt, revokedWhy, fingerprint }: CertificateView) {
  const why = revokedWhy ?? ''
  return { node: nodeName, id: nodeId, status, expires: expiresAt, fingerprint, revoked: why }
}

function settingsOf(dir: string, name: string): readonly string[] {
  return [
    `FARM_TLS_CA=${join(dir, 'ca.pem')}`,
    `FARM_TLS_CERT=${join(dir, `${name}.pem`)}`,
    `FARM_TLS_KEY=${join(dir, `${name}.key`)}`,
  ]
}

type Kept = { readonly dir: string; readonly name: string; readonly identity: Identity }

/**
 * Writes an identity, then does the work, whose failure removes the files again: one that cannot be written
 * is not admitted, and one that is not admitted does not stay.
 */
async function keepWith<T>({ dir, name, identity }: Kept, work: () => Promise<T>): Promise<T> {
  const files = [`${name}.key`, `${name}.pem`].map((file) => join(dir, file))
  await keep({ dir, name, identity })
  try {
    return await work()
  } catch (error) {
    await Promise.all(files.map((file) => rm(file, { force: true })))
    throw error
  }
}

/** Never overwrites a file: a lost key cannot be made again. */
async function keep({ dir, name, identity: { cert, key } }: Kept): Promise<void> {
  const keyFile = join(dir, `${name}.key`)
  try {
    await writeFile(keyFile, key, { flag: 'wx', mode: 0o600 })
    await writeFile(join(dir, `${name}.pem`), cert, { flag: 'wx', mode: 0o644 }).catch(
      async (error: unknown) => {
        // This key is not that of the certificate which is there.
        await rm(keyFile, { force: true })
        throw error
      },
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Failure(`${name} must not exist in ${dir}. Got an existing one; move it away first`)
    }
    throw error
  }
}

/** @throws Failure when there is none */
async function readAuthority(dir: string): Promise<Identity> {
  try {
    const [cert, key] = await Promise.all(
      ['pem', 'key'].map((kind) => readFile(join(dir, `${authorityFile}.${kind}`), 'utf8')),
    )
    return { cert: cert ?? '', key: key ?? '' }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Failure(`--dir must hold ca.pem and ca.key (farm certs ca). Got ${dir}`)
    }
    throw error
  }
}
