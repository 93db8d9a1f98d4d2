import type { Socket } from 'node:net'
import type { Server } from './typed-server.ts'

/**
 * Ends the connections on which nothing was asked yet when the server closes. Browsers open some in
 * advance; Node does not count them as idle, and one of them would hold up the end of the process.
 */
export function endUnusedConnections(server: Server): void {
  const unused = new Set<Socket>()
  let isClosing = false
  server.server.on('connection', (socket: Socket) => {
    if (isClosing) {
      socket.destroy()
      return
    }
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.server.on('request', ({ socket }) => unused.delete(socket))
  server.addHook('preClose', async () => {
    isClosing = true
    for (const socket of unused) socket.destroy()
  })
}
