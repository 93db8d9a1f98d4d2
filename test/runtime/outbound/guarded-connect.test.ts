import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import test from 'ava'
import { createAuthority, issue } from '../../../runtime/authority.ts'
import { fetchDocument } from '../../../runtime/outbound/fetch-document.ts'

const authority = await createAuthority({ days: 1 })
setDefaultCACertificates([...getCACertificates('default'), authority.cert])

/** Fetches from an https server at 127.0.0.1 whose certificate is for `name`. */
async function fetchFrom({ name, host = '127.0.0.1' }: { name: string; host?: string }) {
  const subject = { role: 'scheduler', hosts: [name] } as const
  const server = createServer(await issue(authority, { subject, days: 1 }), (_request, reply) =>
    reply.end('{}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `${host}:${(server.address() as AddressInfo).port}`
  const limits = { timeoutMs: 5_000, maxBytes: 100 }
  try {
    return await fetchDocument(`https://${at}/`, { trustedHosts: [at], ...limits })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('an address is reached by a certificate for that address', async (t) => {
  t.is((await fetchFrom({ name: '127.0.0.1' })).status, 200)
})

test('a certificate for another name or address is refused', async (t) => {
  for (const name of ['localhost', '127.0.0.2', 'other.example.com']) {
    await t.throwsAsync(fetchFrom({ name }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, name)
  }
  await t.throwsAsync(fetchFrom({ name: '127.0.0.1', host: 'localhost' }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})
