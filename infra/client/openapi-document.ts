import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { openContext } from '../../api/context.ts'
import { readOAuthSettings } from '../../api/oauth/settings.ts'
import { createServer } from '../../api/server.ts'
import { createLog } from '../../runtime/log.ts'
import { readSealKeys } from '../../runtime/seal.ts'
import type { OpenApi } from './types-of.ts'

/** Addresses of the service's documents: that of customers and that of operators. */
type DocumentPath = '/openapi.json' | '/api/operator/openapi.json'

/** Returns a document as it is served, without a database or any other running service. */
export async function openApiDocument(path: DocumentPath = '/openapi.json'): Promise<OpenApi> {
  const secret = 'signs nothing'
  const { context, close } = openContext(
    {
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
      temporal: { server: { address: '127.0.0.1:1', tls: false }, namespace: 'default' },
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'http://127.0.0.1',
      objects: pathToFileURL(tmpdir()),
      secret,
      trustedHosts: [],
      metricsAddress: { host: '127.0.0.1', port: 0 },
      accessDays: 0,
      mcpOrigins: [],
      dashboardFolder: tmpdir(),
      operatorUrl: 'http://127.0.0.1',
      operatorApi: path === '/openapi.json' ? 'off' : 'on',
      rateLimits: 'on',
      strangersPerMinute: 1,
      accessLog: 'off',
      previewWaitSeconds: 0,
      trustedProxies: [],
      oauth: readOAuthSettings({}, 'http://127.0.0.1'),
      sealKeys: readSealKeys({}, secret),
    },
    createLog('api', 'silent'),
  )
  const server = await createServer(context)
  try {
    const { payload } = await server.inject({ method: 'GET', url: path })
    return JSON.parse(payload)
  } finally {
    await server.close()
    await close()
  }
}
