import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ApiConfig } from '../../api/config.ts'
import { openContext } from '../../api/context.ts'
import { readOAuthSettings } from '../../api/oauth/settings.ts'
import { createServer } from '../../api/server.ts'
import { createLog } from '../../runtime/log.ts'
import { readSealKeys } from '../../runtime/seal.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { addAccount, startDatabase } from '../store/database.ts'
import { judgeReplies } from './replies.ts'

const publicUrl = 'https://farm.example.com'

/** Logs the api's own errors, so that a 500 in a test can be explained. */
const faults = createLog('api under test', 'error')

export type Gateway = Awaited<ReturnType<typeof startGateway>>

/**
 * Starts the api over a real Postgres and a directory of objects; Temporal is away. Every reply is
 * checked against the published document (replies.ts).
 */
export async function startGateway({
  tracing,
  ...changes
}: { tracing?: Tracing } & Partial<ApiConfig> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const { db, url, stop: stopDatabase } = await startDatabase()
  const config: ApiConfig = {
    databaseUrl: url,
    temporal: { server: { address: '127.0.0.1:1', tls: false }, namespace: 'default' },
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    objects: pathToFileURL(folder),
    secret: 'a secret for the test',
    trustedHosts: [],
    metricsAddress: { host: '127.0.0.1', port: 0 },
    rateLimits: 'on',
    accessLog: 'on',
    accessDays: 0,
    previewWaitSeconds: 0.1,
    strangersPerMinute: 1_000_000,
    trustedProxies: [],
    mcpOrigins: [],
    dashboardFolder: join(folder, 'dashboard'),
    operatorApi: 'off',
    operatorUrl: changes.publicUrl ?? publicUrl,
    oauth: readOAuthSettings({}, publicUrl),
    sealKeys: readSealKeys({}, 'a secret for the test'),
    ...changes,
  }
  const { context, close } = openContext(config, faults, tracing)
  const { server, expectNone } = await judgeReplies(() => createServer(context))
  const objects = openObjectStore(config.objects, config)
  await objects.prepare()
  return {
    db,
    databaseUrl: url,
    context,
    secret: config.secret,
    server,
    objects,
    /** Creates an account with credits, and calls in its name. */
    async customer(credits = 1000) {
      const accountId = await addAccount(db, credits)
      const { key } = await createKey(db, { accountId, name: 'test' })
      const anotherKey = async () => (await createKey(db, { accountId, name: 'another' })).key
      return { accountId, key, anotherKey, ...callsWith(key) }
    },
    /** Starts a second api over the same database, in this process. */
    async startReplica(changes: Partial<ApiConfig> = {}, log = faults) {
      const opened = openContext({ ...config, ...changes }, log)
      const replica = await judgeReplies(() => createServer(opened.context))
      const stop = async () => {
        await replica.server.close()
        await opened.close()
        replica.expectNone()
      }
      return { server: replica.server, context: opened.context, stop }
    },
    async stop() {
      await server.close()
      await close()
      await stopDatabase()
      await rm(folder, { recursive: true, force: true })
      expectNone()
    },
  }

  function callsWith(key: string) {
    const headers = { 'x-api-key': key }

    async function send(
      method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: string,
      body?: unknown,
      more: Record<string, string> = {},
    ) {
      const json = typeof body === 'string' ? body : JSON.stringify(body)
      return await server.inject({
        ...{ method, url: path },
        headers: {
          ...headers,
          ...more,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: json }),
      })
    }

    return {
      async get(path: string) {
        return await server.inject({ method: 'GET', url: path, headers })
      },
      async post(path: string, body?: unknown) {
        return await send('POST', path, body)
      },
      send,
    }
  }
}

export const renderPath = '/api/render/api-key'

export const film = {
  width: 320,
  height: 180,
  duration: 2,
  visuals: [{ type: 'TEXT', html: '<b>Hello</b>' }],
}

export function requestOf(payload: Record<string, unknown> = film) {
  return { payload, jobId: randomUUID() }
}
