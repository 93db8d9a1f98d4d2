import {
  type Env,
  type ListenAddress,
  readBaseUrl,
  readListenAddress,
  readSecret,
  readText,
  readTrustedHosts,
} from '../runtime/env.ts'
import { readSealKeys, type SealKeys } from '../runtime/seal.ts'
import { readObjectsUrl } from '../store/objects/open.ts'

export type WorkflowsConfig = {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly temporalNamespace: string
  readonly objects: URL
  readonly publicUrl: string
  readonly secret: string
  readonly trustedHosts: readonly string[]
  readonly sealKeys: SealKeys
  readonly metricsAddress: ListenAddress
}

const minSecretLength = 16

/** @throws EnvError */
export function readConfig(env: Env): WorkflowsConfig {
  const databaseUrl = readText(env, 'DATABASE_URL', 'the URL of a Postgres database')
  const secret = readSecret(env, 'FARM_SECRET', minSecretLength)
  return {
    databaseUrl,
    temporalAddress: readText(env, 'TEMPORAL_ADDRESS', 'host:port of a Temporal server'),
    temporalNamespace: readText(env, 'TEMPORAL_NAMESPACE', 'a Temporal namespace', 'default'),
    objects: readObjectsUrl(env),
    publicUrl: readBaseUrl(env, 'FARM_PUBLIC_URL'),
    secret,
    trustedHosts: readTrustedHosts(env),
    sealKeys: readSealKeys(env, secret),
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9472'),
  }
}
