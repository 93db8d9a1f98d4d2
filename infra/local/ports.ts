import { createServer, type Server } from 'node:net'

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/**
 * `count` TCP ports that are free on 127.0.0.1 now. They are held together until all are known, so
 * they differ; somebody may still take one before it is used, and then the program that wanted it
 * says so.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = []
  try {
    while (servers.length < count) servers.push(await listen())
    return servers.map((server) => {
      const address = server.address()
      if (address === null || typeof address === 'string')
        throw new Error('A TCP port has no number')
      return address.port
    })
  } finally {
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  }
}

/** One TCP port that is free on 127.0.0.1 now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('No TCP port is free on 127.0.0.1')
  return port
}
