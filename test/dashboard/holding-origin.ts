import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mediaFiles } from '../farm/film.ts'

/**
 * Serves a photo at every address. It holds its answers until `release`, so that a node is busy for as
 * long as a test wants; or it refuses for the time being.
 */
export async function openHoldingOrigin() {
  const photo = (await mediaFiles())['photo.png']
  const held = new Set<ServerResponse>()
  let isHeld = true
  let isAway = false
  const server = createServer((_request, reply) => {
    if (isAway) return void reply.writeHead(503, { 'retry-after': '600' }).end()
    if (!isHeld) return void reply.end(photo)
    held.add(reply)
    reply.once('close', () => held.delete(reply))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    hold() {
      isHeld = true
    },
    /** Answers 503, to be asked again in ten minutes. */
    refuse(refuses: boolean) {
      isAway = refuses
    },
    release() {
      isHeld = false
      for (const reply of held) reply.end(photo)
    },
    close: () => server.close(),
  }
}
