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
import { readTemporal, type TemporalSettings } from '../runtime/temporal.ts'
import { readObjectsPublicUrl, readObjectsUrl } from '../store/objects/open.ts'
import { readBundleFile } from './bundle.ts'

export type WorkflowsConfig = {
  readonly databaseUrl: string
  readonly temporal: TemporalSettings
  /** A bundle of the workflows that was made beforehand. */
  readonly bundleFile?: string | undefined
  readonly objects: URL
  /** Address at which customers reach a bucket; absent: the same as everybody's. */
  readonly objectsPublicUrl?: string | undefined
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
    temporal: readTemporal(env),
    bundleFile: readBundleFile(env),
    objects: readObjectsUrl(env),
    objectsPublicUrl: readObjectsPublicUrl(env),
    publicUrl: readBaseUrl(env, 'FARM_PUBLIC_URL'),
    secret,
    trustedHosts: readTrustedHosts(env),
    sealKeys: readSealKeys(env, secret),
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9472'),
  }
}
