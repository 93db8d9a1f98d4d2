import { type LocalToxiproxy, startToxiproxy } from '../../infra/local/toxiproxy.ts'

/** TCP connections between the parts of a farm, each through a proxy that can be broken. */
export type Wires = {
  /** Makes a wire from one port of 127.0.0.1 to another. */
  lay(name: string, ends: { readonly near: number; readonly far: number }): Promise<void>
  /**
   * Cuts a wire. Silent: connections stay open and nothing comes through. Otherwise they end and
   * new ones are refused.
   */
  cut(name: string, silent: boolean): Promise<void>
  /** Lets requests through, and `bytes` of each connection's replies; then it ends. */
  loseReplies(name: string, bytes: number): Promise<void>
  mend(name: string): Promise<void>
  readonly pid: number
  stop(): Promise<void>
}

/** Lays wires with Toxiproxy. */
export async function startWires({ dataDir }: { dataDir: string }): Promise<Wires> {
  const server = await startToxiproxy({ dataDir })
  const call = (method: string, path: string, body?: object) => ask(server, method, path, body)
  const proxyOf = (name: string) => `/proxies/${encodeURIComponent(name)}`
  const addToxic = (name: string, toxic: object) => call('POST', `${proxyOf(name)}/toxics`, toxic)
  return {
    async lay(name, { near, far }) {
      const listen = `127.0.0.1:${near}`
      const upstream = `127.0.0.1:${far}`
      await call('POST', '/proxies', { name, listen, upstream, enabled: true })
    },
    async cut(name, silent) {
      if (!silent) return void (await call('POST', proxyOf(name), { enabled: false }))
      for (const stream of ['upstream', 'downstream']) {
        await addToxic(name, { type: 'timeout', name: stream, stream, attributes: { timeout: 0 } })
      }
    },
    async loseReplies(name, bytes) {
      await addToxic(name, { type: 'limit_data', stream: 'downstream', attributes: { bytes } })
    },
    async mend(name) {
      type Toxic = { readonly name: string }
      const toxics = (await call('GET', `${proxyOf(name)}/toxics`)) as Toxic[]
      for (const toxic of toxics) await call('DELETE', `${proxyOf(name)}/toxics/${toxic.name}`)
      await call('POST', proxyOf(name), { enabled: true })
    },
    pid: server.pid,
    stop: server.stop,
  }
}

async function ask(
  { url }: LocalToxiproxy,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`Toxiproxy answers ${method} ${path} with ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
