import { isIP } from 'node:net'
import {
  type Env,
  EnvError,
  type ListenAddress,
  readInteger,
  readListenAddress,
  readSecret,
  readText,
} from '../runtime/env.ts'
import { readTlsFiles, type TlsFiles } from '../runtime/tls.ts'
import { readStoreSettings, type StoreSettings } from '../store/settings.ts'
import { type EnrolmentConfig, readEnrolledAuthority, readEnrolment } from './enrolment/settings.ts'

/** The object store is used for signing the leases' URLs only: it is neither read nor written here. */
export type SchedulerConfig = StoreSettings & {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Set: each node shows a certificate and a token of its own. */
  readonly tls: TlsFiles | undefined
  /** Token that every node must show without TLS, when set. */
  readonly nodeToken: string | undefined
  readonly metricsAddress: ListenAddress
  /** Address for an autoscaler (KEDA); absent: none is served. */
  readonly scalerAddress: ListenAddress | undefined
  /** Authority of enrolled nodes, PEM, beside the farm's; absent: there are none. */
  readonly nodeAuthority: Buffer | undefined
  /** Absent: no node is enrolled here. */
  readonly enrolment: EnrolmentConfig | undefined
}

const minTokenLength = 16
const reachedRule =
  'a loopback address where FARM_TLS_CERT is not set (farm certs), or FARM_INSECURE must be 1'
const defaultPort = 7070

/**
 * Reads the scheduler's settings. An address that other machines reach needs TLS or
 * FARM_INSECURE=1.
 * @throws EnvError
 */
export function readConfig(env: Env): SchedulerConfig {
  const host = readText(env, 'FARM_SCHEDULER_HOST', 'an IP address', '127.0.0.1')
  if (isIP(host) === 0) throw new EnvError('FARM_SCHEDULER_HOST', 'an IP address', host)
  const tls = readTlsFiles(env)
  const mayBeReached = tls !== undefined || env.FARM_INSECURE === '1'
  if (!isLoopback(host) && !mayBeReached) {
    throw new EnvError('FARM_SCHEDULER_HOST', reachedRule, host)
  }
  const scalerAddress = env.FARM_SCALER_ADDRESS
    ? readListenAddress(env, 'FARM_SCALER_ADDRESS', '')
    : undefined
  if (scalerAddress && !isLoopback(scalerAddress.host) && !mayBeReached) {
    throw new EnvError('FARM_SCALER_ADDRESS', reachedRule, env.FARM_SCALER_ADDRESS)
  }
  return {
    ...readStoreSettings(env),
    host,
    port: readInteger(env, 'FARM_SCHEDULER_PORT', { min: 0, max: 65_535, fallback: defaultPort }),
    tls,
    nodeToken: env.FARM_NODE_TOKEN ? readSecret(env, 'FARM_NODE_TOKEN', minTokenLength) : undefined,
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9471'),
    scalerAddress,
    nodeAuthority: readEnrolledAuthority(env, tls),
    enrolment: readEnrolment(env, tls),
  }
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.')
}
