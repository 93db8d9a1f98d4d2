import { type ChannelOptions, experimental } from '@grpc/grpc-js'
import { type Env, EnvError, readText } from '../../runtime/env.ts'

type Resolved = Parameters<experimental.ResolverListener>

const scheme = 'farm-hosts'
const rule =
  'host:port, a comma-separated list of them, or dns:///name:port or ipv4:IP:PORT,IP:PORT'
const hostPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i

/** Reads FARM_SCHEDULER_ADDRESS as a gRPC target. @throws EnvError */
export function readSchedulerAddress(env: Env): string {
  const name = 'FARM_SCHEDULER_ADDRESS'
  const text = readText(env, name, rule)
  const prefix = /^(dns:(\/\/[^/]*\/)?|ipv[46]:)/.exec(text)?.[0] ?? ''
  const hosts = text.slice(prefix.length).split(',')
  const isHost = (host: string) => {
    const port = Number(hostPort.exec(host.trim())?.[2])
    return port >= 1 && port <= 65_535
  }
  if (!hosts.every(isHost) || (prefix.startsWith('dns:') && hosts.length > 1)) {
    throw new EnvError(name, rule, text)
  }
  if (prefix !== '' || hosts.length === 1) return text.trim()
  return `${scheme}:${hosts.map((host) => host.trim()).join(',')}`
}

/** Resolves each name of a list with gRPC's own resolver; the channel gets all known addresses. */
class HostsResolver implements experimental.Resolver {
  readonly #children: readonly experimental.Resolver[]
  readonly #known = new Map<string, experimental.Endpoint[]>()

  constructor(
    { path }: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    options: ChannelOptions,
  ) {
    this.#children = path.split(',').map((host) => {
      const publish = (...[found, attributes, config, note]: Resolved) => {
        if (found.ok) this.#known.set(host, found.value)
        // A name that cannot be resolved now does not remove the others' addresses.
        else if (this.#known.size > 0) return false
        else return listener(found, attributes, config, note)
        const all = experimental.statusOrFromValue([...this.#known.values()].flat())
        return listener(all, attributes, config, note)
      }
      return experimental.createResolver(
        { scheme: 'dns', authority: '', path: host },
        publish,
        options,
      )
    })
  }

  updateResolution(): void {
    for (const child of this.#children) child.updateResolution()
  }

  destroy(): void {
    for (const child of this.#children) child.destroy()
    this.#known.clear()
  }

  /** Each scheduler's TLS certificate must carry the first name of the list. */
  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',')[0] ?? ''
  }
}

experimental.registerResolver(scheme, HostsResolver)
