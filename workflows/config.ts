import {
  type Env,
  EnvError,
  type ListenAddress,
  readInteger,
  readListenAddress,
  readTrustedHosts,
} from '../runtime/env.ts'
import { readOperatorPages } from '../runtime/operators.ts'
import { readSealKeys, type SealKeys } from '../runtime/seal.ts'
import { readTemporal, type TemporalSettings } from '../runtime/temporal.ts'
import { readObjectsPublicUrl } from '../store/objects/open.ts'
import { readAccessDays, readStoreSettings, type StoreSettings } from '../store/settings.ts'
import { readBundleFile } from './bundle.ts'

export type WorkflowsConfig = StoreSettings & {
  readonly temporal: TemporalSettings
  /** A bundle of the workflows that was made beforehand. */
  readonly bundleFile?: string | undefined
  /** Jobs stay with the build of the workflows that began them. */
  readonly isPinned?: boolean
  /** Address at which customers reach a bucket; absent: the same as everybody's. */
  readonly objectsPublicUrl?: string | undefined
  readonly trustedHosts: readonly string[]
  readonly sealKeys: SealKeys
  readonly metricsAddress: ListenAddress
  /** Days for which operators can search requests. */
  readonly accessDays: number
  /** Most of the database that these requests take, GB (10^9 bytes). */
  readonly accessGigabytes: number
  /** Address of the operators' pages, for links in notices. */
  readonly operatorUrl: string
}

/** @throws EnvError */
export function readConfig(env: Env): WorkflowsConfig {
  const store = readStoreSettings(env)
  return {
    ...store,
    temporal: readTemporal(env),
    bundleFile: readBundleFile(env),
    isPinned: readPinned(env),
    objectsPublicUrl: readObjectsPublicUrl(env),
    trustedHosts: readTrustedHosts(env),
    sealKeys: readSealKeys(env, store.secret),
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9472'),
    accessDays: readAccessDays(env),
    accessGigabytes: readInteger(env, 'FARM_ACCESS_GB', { min: 1, max: 100_000, fallback: 5 }),
    operatorUrl: readOperatorPages(env, store.publicUrl),
  }
}

/** FARM_WORKFLOW_BUILDS: `pinned`, or any build drives any job. */
function readPinned(env: Env): boolean {
  const name = 'FARM_WORKFLOW_BUILDS'
  const value = env[name] || 'any'
  if (value !== 'pinned' && value !== 'any') throw new EnvError(name, '`pinned` or `any`', value)
  return value === 'pinned'
}
