import type { Socket } from 'node:net'
import type { Server } from './typed-server.ts'

/**
 * Closes connections without a request when the server closes. Browsers open some in advance; Node
 * does not count them as idle, and one of them would keep the process alive.
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
