import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceError, status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { enrolmentAuthority } from '../../../core/fleet/node-identity.ts'
import { createAuthority, type Identity, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import type { TlsFiles } from '../../../runtime/tls.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { openEnrolment } from '../../../scheduler/enrolment/open.ts'
import { serveEnrolment } from '../../../scheduler/enrolment/serve-enrolment.ts'
import { serve } from '../../../scheduler/serve.ts'
import { addInvitation } from '../../../store/db/fleet/invitations.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'
import { enrol } from '../../../worker/enrolment/enrol.ts'
import type { EnrolmentConfig } from '../../../worker/enrolment/settings.ts'
import { silent, startDatabase } from '../../store/database.ts'
import { issuer, startCluster } from './cluster.ts'

/** Offer of a node that claims a pool which it may not have. */
export const offer = {
  ...{ kinds: ['render'], slots: 1, encoders: ['libx264'], canvas: 'napi', device: 'CPU' },
  ...{ pool: 'claimed', tags: [], memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 0 },
}

/** A scheduler that enrols pods of a cluster and machines, over TLS and with a database of its own. */
export async function startEnrollingFarm() {
  const { db, url, stop: stopDatabase } = await startDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'farm-enrolment-'))
  const farmAuthority = await createAuthority({ days: 1 })
  const nodeAuthority = await createAuthority({ days: 1, name: enrolmentAuthority })
  const jwks = join(dir, 'jwks.json')
  const tokenOf = await startCluster(jwks)
  const pem = (name: string, text: string) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const hosts = ['127.0.0.1']
  const own = await issue(farmAuthority, { subject: { role: 'scheduler', hosts }, days: 1 })
  const env = {
    DATABASE_URL: url,
    FARM_SCHEDULER_PORT: '0',
    FARM_OBJECTS: `file:${join(dir, 'objects')}`,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
    FARM_TLS_CA: pem('ca.pem', farmAuthority.cert),
    FARM_TLS_CERT: pem('scheduler.pem', own.cert),
    FARM_TLS_KEY: pem('scheduler.key', own.key),
    FARM_ENROLMENT_ADDRESS: '127.0.0.1:0',
    FARM_ENROLMENT_CA_CERT: pem('enrolment.pem', nodeAuthority.cert),
    FARM_ENROLMENT_CA_KEY: pem('enrolment.key', nodeAuthority.key),
    FARM_ENROLMENT_ISSUER: issuer,
    FARM_ENROLMENT_JWKS: jwks,
    FARM_ENROLMENT_ACCOUNTS: 'farm-workers/gpu=gpu, farm-workers/cpu=cpu',
  }
  const config = readConfig(env)
  const { context: opened, close } = openContext(config, silent)
  if (config.enrolment === undefined) throw new Error('Enrolment must be configured.')
  const enrolment = await openEnrolment(db, config.enrolment)
  const context = { ...opened, enrolment }
  const nodes = await serve(context, config)
  const door = await serveEnrolment(context, { ...config.enrolment, enrolment })
  const address = `127.0.0.1:${nodes.port}`

  /** Settings of a node that shows this token, with a folder of its own. */
  function settingsOf(token: string): EnrolmentConfig {
    const folder = mkdtempSync(join(dir, 'node-'))
    const file = join(folder, 'token')
    writeFileSync(file, `${token}\n`)
    return {
      ...{ address: `127.0.0.1:${door.port}`, ca: Buffer.from(farmAuthority.cert), dir: folder },
      token: token.startsWith('join_') ? { text: token } : { file },
    }
  }

  return {
    ...{ db, dir, env, config, context, enrolment, address },
    ...{ farmAuthority, nodeAuthority, own, tokenOf, settingsOf },

    joins: (token: string, pool = '') => enrol(settingsOf(token), { name: 'blue-1', pool }),

    connect(t: ExecutionContext, identity: { token: string; tls: TlsFiles }) {
      const client = connectScheduler({ address, ...identity })
      t.teardown(() => client.close())
      return client
    },

    async newInvitation({ uses = 1, seconds = 3_600, pool = 'cpu' } = {}) {
      const token = `join_${randomBytes(32).toString('hex')}`
      const tokenHash = sha256(token)
      const made = await addInvitation(db, { tokenHash, pool, uses, seconds, madeBy: 'ada' })
      return { ...made, token }
    },

    nodeOf: (id: string) =>
      db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst(),

    filesOf: ({ cert, key }: Identity): TlsFiles => ({
      ...{ ca: Buffer.from(nodeAuthority.cert), cert: Buffer.from(cert), key: Buffer.from(key) },
    }),

    async stop() {
      await door.stop()
      await nodes.stop()
      await close()
      await stopDatabase()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Expects that a call is refused with this status. Resolves to its sentence. */
export async function refused(t: ExecutionContext, code: status, call: Promise<unknown>) {
  const error = (await t.throwsAsync(call)) as ServiceError
  t.is(error.code, code, error.message)
  return error.details
}
