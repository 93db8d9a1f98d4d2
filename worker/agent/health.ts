import { Server, ServerCredentials } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { ListenAddress } from '../../runtime/env.ts'

/**
 * Serves grpc.health.v1 for orchestrators whose probes speak gRPC: SERVING while a scheduler knows
 * the node and it takes work. The farm itself never calls a node.
 */
export async function serveHealth({ host, port }: ListenAddress): Promise<{
  readonly port: number
  set(isServing: boolean): void
  stop(): void
}> {
  const health = new HealthImplementation({ '': 'NOT_SERVING' })
  const server = new Server()
  health.addToServer(server)
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, number) =>
      error ? reject(error) : resolve(number),
    )
  })
  return {
    port: bound,
    set: (isServing) => health.setStatus('', isServing ? 'SERVING' : 'NOT_SERVING'),
    stop: () => server.forceShutdown(),
  }
}
