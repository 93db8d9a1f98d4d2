import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { readSecret } from '../../runtime/env.ts'
import { readTlsFiles } from '../../runtime/tls.ts'
import { readSchedulerAddress } from '../../worker/agent/scheduler-address.ts'

export type Target = {
  /** `host:port`; absent: FARM_SCHEDULER_ADDRESS. */
  readonly address?: string
  /** Speaks without TLS, and keeps the token back. */
  readonly plaintext?: boolean
  readonly timeout: number
}

export type Connection = {
  readonly client: Client
  /** A node's token, if there is one. */
  readonly metadata: Metadata
  readonly deadline: () => number
}

const tokenLengthMin = 16

/** Connects as a node does: with its certificate and token, from its settings. @throws EnvError */
export function connect({ address, plaintext = false, timeout }: Target): Connection {
  const env = process.env
  const tls = plaintext ? undefined : readTlsFiles(env)
  const channel = tls
    ? credentials.createSsl(tls.ca, tls.key, tls.cert)
    : credentials.createInsecure()
  const target = readSchedulerAddress({
    FARM_SCHEDULER_ADDRESS: address ?? env.FARM_SCHEDULER_ADDRESS,
  })
  const metadata = new Metadata()
  if (!plaintext && env.FARM_NODE_TOKEN) {
    const token = readSecret(env, 'FARM_NODE_TOKEN', tokenLengthMin)
    metadata.set('authorization', `Bearer ${token}`)
  }
  const client = new Client(target, channel)
  return { client, metadata, deadline: () => Date.now() + timeout * 1000 }
}
