import { join, resolve } from 'node:path'
import {
  type Env,
  type ListenAddress,
  readChoice,
  readInteger,
  readList,
  readListenAddress,
  readText,
  readTrustedHosts,
  readTrustedProxies,
} from '../runtime/env.ts'
import {
  type OperatorListener,
  readOperatorListener,
  readOperatorPages,
} from '../runtime/operators.ts'
import { type Prometheus, readPrometheus } from '../runtime/prometheus.ts'
import { readSealKeys, type SealKeys } from '../runtime/seal.ts'
import { readTemporal, type TemporalSettings } from '../runtime/temporal.ts'
import { readObjectsPublicUrl } from '../store/objects/open.ts'
import { readAccessDays, readStoreSettings, type StoreSettings } from '../store/settings.ts'
import { type OAuthSettings, readOAuthSettings } from './oauth/settings.ts'

export type ApiConfig = StoreSettings & {
  readonly temporal: TemporalSettings
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Address at which customers reach a bucket; absent: the same as everybody's. */
  readonly objectsPublicUrl?: string | undefined
  readonly trustedHosts: readonly string[]
  readonly sealKeys: SealKeys
  readonly metricsAddress: ListenAddress
  readonly rateLimits: 'on' | 'off'
  /** Requests a minute that an address may make without a valid credential. */
  readonly strangersPerMinute: number
  /** Longest time until the answer to a request for a preview. */
  readonly previewWaitSeconds: number
  readonly accessLog: 'on' | 'off'
  /** Days for which operators can search requests; 0: never. */
  readonly accessDays: number
  /** Origins of web pages that may call the endpoint for agents. */
  readonly mcpOrigins: readonly string[]
  /** Addresses of the proxies before this api, which name the origin of a request. */
  readonly trustedProxies: readonly string[]
  readonly oauth: OAuthSettings
  /** Folder of the built dashboard; it may be missing. */
  readonly dashboardFolder: string
  /** Listener of the operators' API and pages: none, the customers' one, or an address of its own. */
  readonly operatorApi: OperatorListener
  /** Address at which operators reach it. */
  readonly operatorUrl: string
  /** Prometheus for operators' charts; absent: they show what the farm keeps. */
  readonly prometheus?: Prometheus | undefined
  /** Longest time of an operator's search of requests, which no setting changes; absent: eight seconds. */
  readonly searchMs?: number
}

const defaultPort = 8080
const defaultStrangersPerMinute = 600
/** Below the minute after which proxies, and agents' tools, give up. */
const defaultPreviewWait = 50

/** Folder that `npm run dashboard:build` writes. */
const builtDashboard = join(import.meta.dirname, '..', 'out', 'dashboard')

/** @throws EnvError */
export function readConfig(env: Env): ApiConfig {
  const store = readStoreSettings(env)
  return {
    ...store,
    temporal: readTemporal(env),
    host: readText(env, 'FARM_HOST', 'an address to listen on', '127.0.0.1'),
    port: readInteger(env, 'FARM_PORT', { min: 0, max: 65_535, fallback: defaultPort }),
    objectsPublicUrl: readObjectsPublicUrl(env),
    trustedHosts: readTrustedHosts(env),
    sealKeys: readSealKeys(env, store.secret),
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9470'),
    rateLimits: readChoice(env, 'FARM_RATE_LIMITS', ['on', 'off'], 'on'),
    strangersPerMinute: readInteger(env, 'FARM_STRANGER_REQUESTS', {
      ...{ min: 1, max: 1_000_000, fallback: defaultStrangersPerMinute },
    }),
    previewWaitSeconds: readInteger(env, 'FARM_PREVIEW_WAIT', {
      ...{ min: 1, max: 240, fallback: defaultPreviewWait },
    }),
    accessLog: readChoice(env, 'FARM_ACCESS_LOG', ['on', 'off'], 'on'),
    accessDays: readAccessDays(env),
    trustedProxies: readTrustedProxies(env),
    mcpOrigins: readList(env, 'FARM_MCP_ORIGINS').map((origin) => origin.toLowerCase()),
    oauth: readOAuthSettings(env, store.publicUrl),
    dashboardFolder: resolve(readText(env, 'FARM_DASHBOARD', 'a folder', builtDashboard)),
    operatorApi: readOperatorListener(env),
    operatorUrl: readOperatorPages(env, store.publicUrl),
    prometheus: readPrometheus(env),
  }
}
