import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { isPublicAddress } from '../../../core/project/public-address.ts'
import { fetchMedia } from '../../../runtime/outbound/fetch-media.ts'
import { type HostileUrl, hostileUrls } from '../../core/project/hostile-urls.ts'

const publicAddress = '93.184.215.14'
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))

/** Redirects for the rows marked `[http]`. */
const redirects: Readonly<Record<string, string>> = {
  '/302-cred': 'https://u:p@example.com/',
  '/302-rebind': 'http://inner.example.com/',
  '/302-self': '/302-self',
}
const server = createServer(({ url = '' }, reply) => {
  const location = redirects[url]
  if (location) return reply.writeHead(302, { location }).end()
  return reply.writeHead(200, { refresh: '0; url=http://127.0.0.1/' }).end('page')
})

test.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
test.after.always(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Fetches a row's URL; every dial is recorded and lands on this test's own server on loopback. */
async function fetchRow({ url, variables, answers, isTextual }: HostileUrl) {
  const dials: string[] = []
  let lookups = 0
  const sent = url.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => variables[name] ?? '')
  const outcome = await fetchMedia({
    // This server speaks no TLS, and those rows test its answers.
    url: isTextual || answers?.length !== 1 ? sent : sent.replace(/^https:/, 'http:'),
    ...{ field: 'src', to: join(folder, 'file'), maxBytes: 1000, timeoutMs: 20_000 },
    async resolve(host) {
      const given =
        host === 'inner.example.com'
          ? ['10.0.0.1']
          : answers?.[Math.min(lookups, answers.length - 1)]
      lookups += 1
      const found = given ?? [publicAddress]
      if (found.length === 0) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return found.map((address) => ({ address, family: net.isIP(address) }))
    },
    dial(options) {
      let address = options.host ?? ''
      if (!net.isIP(address)) {
        options.lookup?.(address, {}, (_error, found) => {
          address = String(found)
        })
      }
      dials.push(address)
      const socket = net.connect({
        host: '127.0.0.1',
        port: (server.address() as AddressInfo).port,
      })
      Object.defineProperty(socket, 'remoteAddress', { value: address })
      return socket
    },
  }).catch((error: unknown) => error)
  return { dials, lookups, code: outcome instanceof FarmError ? outcome.code : undefined }
}

test('all case-table media rows dial nothing private and look up nothing refused', async (t) => {
  const rows = hostileUrls().filter(({ context }) => context === 'media')
  t.true(rows.length > 90)
  for (const row of rows) {
    const { dials, lookups, code } = await fetchRow(row)
    const label = `${row.url.slice(0, 80)} (${row.reason}): ${code} ${dials}`
    t.deepEqual(
      dials.filter((address) => !isPublicAddress(address)),
      [],
      label,
    )
    if (row.isTaken) t.is(dials.length, 1, label)
    else if (row.isTextual) t.deepEqual([code, dials, lookups], ['media_refused', [], 0], label)
    // A page is no picture, which shows when it is read.
    else if (!row.url.endsWith('/refresh')) t.truthy(code, label)
    if (/302-(?:cred|rebind)|refresh/.test(row.url)) t.is(dials.length, 1, label)
    if (row.url.endsWith('302-self')) t.is(dials.length, 4, label)
    if (row.url.includes('rebind.example')) t.is(lookups, dials.length, label)
  }
})
