import { randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthority, type Identity, issue } from '../../runtime/authority.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { inTransaction } from '../../store/db/database.ts'
import { addCertificate } from '../../store/db/fleet/add-certificate.ts'
import { type CertificateView, listCertificates } from '../../store/db/fleet/list-certificates.ts'
import { moveNode } from '../../store/db/fleet/move-node.ts'
import { revokeCertificates } from '../../store/db/fleet/revoke-certificates.ts'
import { answerRows, operate } from '../accounts/operate.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'

/** Folder of the certificates, and the days for which they are valid. */
type Making = { readonly dir: string; readonly days: number }

const authorityFile = 'ca'
const scalerFile = 'scaler'
const takenNames = [authorityFile, 'scheduler', scalerFile]

/** `farm certs ca` */
export async function makeAuthority({
  dir,
  days,
  json,
  ...options
}: Making & ActOptions): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const authority = await createAuthority({ days })
  const made = certificateOf(authority)
  await operate(json, async (db) => {
    const done = { what: 'certs ca', subject: made.fingerprint, ...options }
    await act(db, done, () => keep(dir, authorityFile, authority))
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
  json,
  ...options
}: Making & ActOptions & { hosts: readonly string[] }): Promise<void> {
  if (hosts.length === 0)
    throw new Failure(
      '--host must name the addresses that nodes use for the scheduler. Got nothing',
    )
  const subject = { role: 'scheduler', hosts } as const
  const identity = await issue(await readAuthority(dir), { subject, days })
  const made = certificateOf(identity)
  await operate(json, async (db) => {
    const what = `certs scheduler ${hosts.join(',')}`
    const done = { what, subject: made.fingerprint, ...options }
    await act(db, done, () => keep(dir, 'scheduler', identity))
    return { json: made, text: settingsOf(dir, 'scheduler').join('\n') }
  })
}

/** `farm certs scaler`: lets an autoscaler read how many slots each pool wants. */
export async function makeScalerCertificate({
  dir,
  days,
  json,
  ...options
}: Making & ActOptions): Promise<void> {
  const identity = await issue(await readAuthority(dir), { subject: { role: 'scaler' }, days })
  const made = certificateOf(identity)
  await operate(json, async (db) => {
    const done = { what: 'certs scaler', subject: made.fingerprint, ...options }
    await act(db, done, () => keep(dir, scalerFile, identity))
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
 * them. The token is shown only once.
 */
export async function makeNodeCertificate({
  name,
  id = randomUUID(),
  dir,
  days,
  json,
  ...options
}: Making & { name: string; id?: string } & ActOptions): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name) || takenNames.includes(name)) {
    const rule = `up to 64 letters, digits, dots, dashes and underscores, not ${takenNames.join(' or ')}`
    throw new Failure(`NAME must be ${rule}. Got ${name}`)
  }
  const authority = await readAuthority(dir)
  const token = `node_${randomBytes(32).toString('hex')}`
  await operate(json, async (db) => {
    const subject = { role: 'node', nodeId: id, name } as const
    const identity = await issue(authority, { subject, days })
    const { fingerprint, expiresAt } = certificateOf(identity)
    await act(db, { what: 'certs node', subject: id, ...options }, async (tx) => {
      const tokenHash = sha256(token)
      await addCertificate(tx, { fingerprint, nodeId: id, nodeName: name, tokenHash, expiresAt })
      // Written last, so that a certificate that cannot be written is not admitted either.
      await keep(dir, name, identity)
    })
    const settings = [...settingsOf(dir, name), `FARM_NODE_TOKEN=${token}`]
    return {
      json: { nodeId: id, name, fingerprint, expiresAt, token },
      text: [`# node ${id} until ${expiresAt.toISOString()}`, ...settings].join('\n'),
    }
  })
}

/** `farm certs list` */
export async function showCertificates({ json }: { readonly json?: boolean }): Promise<void> {
  await operate(json, async (db) => answerRows((await listCertificates(db)).map(rowOf)))
}

/** `farm certs revoke WHICH`: its nodes are refused and get no more work. */
export async function revoke({ which, json, ...options }: { which: string } & ActOptions) {
  await operate(json, async (db) => {
    await inTransaction(db, async (tx) => {
      const nodes = await revokeCertificates(tx, { which, why: options.why })
      if (nodes.length === 0) {
        throw new Failure(
          `WHICH must be the fingerprint or the node of a valid certificate. Got ${which}`,
        )
      }
      const reason = `its certificate was revoked: ${options.why}`
      const left = (await listCertificates(tx)).filter(({ status }) => status === 'valid')
      for (const nodeId of nodes) {
        await act(tx, { what: `certs revoke ${which}`, subject: nodeId, ...options }, async () => {
          if (left.some((certificate) => certificate.nodeId === nodeId)) return
          await moveNode(tx, { nodeId, act: 'cordon', reason })
        })
      }
    })
    return answerRows((await listCertificates(db)).map(rowOf))
  })
}

function rowOf({ nodeName, nodeId, status, expiresAt, revokedWhy, fingerprint }: CertificateView) {
  const why = revokedWhy ?? ''
  return { node: nodeName, id: nodeId, status, expires: expiresAt, fingerprint, revoked: why }
}

function certificateOf({ cert }: Identity): { fingerprint: string; expiresAt: Date } {
  const { raw, validToDate } = new X509Certificate(cert)
  return { fingerprint: sha256(raw), expiresAt: validToDate }
}

function settingsOf(dir: string, name: string): readonly string[] {
  return [
    `FARM_TLS_CA=${join(dir, 'ca.pem')}`,
    `FARM_TLS_CERT=${join(dir, `${name}.pem`)}`,
    `FARM_TLS_KEY=${join(dir, `${name}.key`)}`,
  ]
}

/** Never overwrites a file: a lost key cannot be made again. */
async function keep(dir: string, name: string, { cert, key }: Identity): Promise<void> {
  try {
    await writeFile(join(dir, `${name}.key`), key, { flag: 'wx', mode: 0o600 })
    await writeFile(join(dir, `${name}.pem`), cert, { flag: 'wx', mode: 0o644 })
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
