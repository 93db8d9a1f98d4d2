import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createPublicResolve } from '../../../runtime/outbound/resolve-public.ts'

/**
 * Starts a name server on loopback. `two.` has an address of each family, `four.` an IPv4 one,
 * other names none; names that begin with `mute` are never answered.
 */
async function startNameServer() {
  const server = createSocket('udp4')
  server.on('message', (query, peer) => {
    const end = query.indexOf(0, 12)
    const name = query.toString('latin1', 13, end)
    if (name.startsWith('mute')) return
    const isV6 = query.readUInt16BE(end + 1) === 28
    const known = name.startsWith('two') || (name.startsWith('four') && !isV6)
    const address = isV6
      ? Buffer.from('26064700470000000000000000001111', 'hex')
      : Buffer.from([93, 184, 215, 14])
    const head = Buffer.from(query.subarray(0, end + 5))
    head.writeUInt16BE(known || name.startsWith('four') ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(known ? 1 : 0, 6)
    head.writeUInt16BE(0, 10)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(isV6 ? 28 : 1, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(60, 6)
    record.writeUInt16BE(address.length, 10)
    server.send(known ? Buffer.concat([head, record, address]) : head, peer.port, peer.address)
  })
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done))
  return { server, servers: [`127.0.0.1:${(server.address() as AddressInfo).port}`] }
}

test('every address of both families is found; a name without any rejects', async (t) => {
  const { server, servers } = await startNameServer()
  t.teardown(() => server.close())
  const resolve = createPublicResolve({ servers })
  const v4 = { address: '93.184.215.14', family: 4 }
  t.deepEqual(await resolve('two.example.com'), [
    v4,
    { address: '2606:4700:4700::1111', family: 6 },
  ])
  t.deepEqual(await resolve('four.example.com'), [v4])
  await t.throwsAsync(resolve('none.example.com'), { code: 'ENOTFOUND' })
})

test('names whose servers never answer keep no other name waiting', async (t) => {
  const { server, servers } = await startNameServer()
  t.teardown(() => server.close())
  const resolve = createPublicResolve({ servers })
  let given = 0
  const mute = Array.from({ length: 50 }, (_, i) =>
    resolve(`mute${i}.example.com`).catch(() => {
      given += 1
    }),
  )
  t.is((await resolve('two.example.com')).length, 2)
  t.is(given, 0)
  await Promise.all(mute)
  t.is(given, 50)
})
