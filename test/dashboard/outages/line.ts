import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'

/**
 * Line to a server, at a port of its own, which can be cut and mended, or held: a held line takes all and
 * passes nothing on. The server itself goes on for others.
 */
export async function lineTo(address: string, port = 0) {
  const there = new URL(address)
  const sockets = new Set<Socket>()
  const joins = new Set<() => void>()
  let isCut = false
  let isHeld = false
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = dial(Number(there.port), there.hostname)
    const join = () => near.pipe(far).pipe(near)
    joins.add(join)
    if (!isHeld) join()
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        joins.delete(join)
        near.destroy()
        far.destroy()
      })
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: Object.assign(new URL(address), { host: `127.0.0.1:${own}` }).href,
    cut() {
      isCut = true
      cutAll()
    },
    mend() {
      isCut = false
    },
    /** As a network that is gone: no connection ends, and nothing comes. */
    hold() {
      isHeld = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    letGo() {
      isHeld = false
      for (const join of joins) join()
    },
    close() {
      server.close()
      cutAll()
    },
  }
}
