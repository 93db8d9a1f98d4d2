import { createServer, type Server } from 'node:net'

/**
 * Below the ephemeral ports (from 32,768 on Linux, 49,152 on macOS): one of those may be taken
 * before the intended program starts.
 */
const firstPort = 20_000
const ports = 12_000
const tries = 100

/**
 * Ports of one process. A free port is used a moment later, so each process goes through the ports
 * in order from its own offset. Then no port repeats soon, and processes started at the same time
 * get different ones.
 */
const portsOfOne = 40
let offset = (process.pid * portsOfOne) % ports

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

async function listen(): Promise<Server> {
  for (let left = tries; left > 0; left -= 1) {
    const port = firstPort + offset
    offset = (offset + 1) % ports
    const server = await listenOn(port)
    if (server) return server
  }
  throw new Error(`One of ${tries} TCP ports on 127.0.0.1 must be free. Got none`)
}

/**
 * Returns `count` TCP ports that are free on 127.0.0.1 now, none of them recently given to this
 * process. Another process may still take one first; then the program that wanted it reports that.
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

/** Returns one TCP port that is free on 127.0.0.1 now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('No TCP port is free on 127.0.0.1')
  return port
}
