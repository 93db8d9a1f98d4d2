import { readFileSync } from 'node:fs'
import {
  type Env,
  EnvError,
  type ListenAddress,
  readList,
  readListenAddress,
} from '../../runtime/env.ts'
import type { TlsFiles } from '../../runtime/tls.ts'

/** Listener and authority that admit nodes without a certificate made by hand. */
export type EnrolmentConfig = {
  readonly address: ListenAddress
  /** Certificate that the scheduler shows. */
  readonly tls: TlsFiles
  /** Authority of the certificates of enrolled nodes, PEM. */
  readonly authority: { readonly cert: string; readonly key: string }
  /** Cluster whose pods may enrol; absent: only machines by invitation. */
  readonly cluster: ClusterConfig | undefined
}

export type ClusterConfig = {
  /** Claim `iss` of its tokens. */
  readonly issuer: string
  /** https URL of its JWKS, or path of a file that holds it. */
  readonly jwks: string
  /** Pool by `namespace/account`. */
  readonly accounts: ReadonlyMap<string, string>
}

const authorityNames = ['FARM_ENROLMENT_CA_CERT', 'FARM_ENROLMENT_CA_KEY'] as const
const clusterNames = [
  ...(['FARM_ENROLMENT_ISSUER', 'FARM_ENROLMENT_JWKS', 'FARM_ENROLMENT_ACCOUNTS'] as const),
]

/** Reads the certificate of the authority that enrolled nodes have, if there is one. @throws EnvError */
export function readEnrolledAuthority(env: Env, tls: TlsFiles | undefined): Buffer | undefined {
  const [name] = authorityNames
  if (!env[name]) return undefined
  if (tls === undefined) throw new EnvError('FARM_TLS_CERT', `set where ${name} is`, undefined)
  return readPem(env, name)
}

/** Reads the settings of enrolment; undefined where it is not served. @throws EnvError */
export function readEnrolment(env: Env, tls: TlsFiles | undefined): EnrolmentConfig | undefined {
  const cluster = readCluster(env)
  const hasKey = Boolean(env.FARM_ENROLMENT_CA_KEY)
  if (!env.FARM_ENROLMENT_ADDRESS) {
    if (cluster === undefined && !hasKey) return undefined
    throw new EnvError(
      'FARM_ENROLMENT_ADDRESS',
      'IP:port where other FARM_ENROLMENT_… are set',
      undefined,
    )
  }
  const address = readListenAddress(env, 'FARM_ENROLMENT_ADDRESS', '')
  if (tls === undefined) {
    throw new EnvError(
      'FARM_TLS_CERT',
      'set where FARM_ENROLMENT_ADDRESS is (farm certs)',
      undefined,
    )
  }
  const [cert = '', key = ''] = authorityNames.map((name) => readPem(env, name).toString())
  return { address, tls, authority: { cert, key }, cluster }
}

function readCluster(env: Env): ClusterConfig | undefined {
  const given = clusterNames.map((name) => [name, env[name]] as const)
  if (given.every(([, value]) => !value)) return undefined
  const [issuer = '', jwks = ''] = given.map(([name, value]) => {
    if (!value) throw new EnvError(name, `set, as ${clusterNames.join(', ')} go together`, value)
    return value
  })
  if (!jwks.startsWith('https://') && !jwks.startsWith('/')) {
    throw new EnvError('FARM_ENROLMENT_JWKS', 'an https URL, or the path of a file', jwks)
  }
  const name = 'FARM_ENROLMENT_ACCOUNTS'
  const accounts = readList(env, name).map((entry) => {
    const [, account, pool] = /^([a-z0-9.-]+\/[a-z0-9.-]+)=([^=]{1,200})$/.exec(entry) ?? []
    if (account === undefined || pool === undefined) {
      throw new EnvError(name, 'a list of namespace/account=pool', env[name])
    }
    return [account, pool] as const
  })
  return { issuer, jwks, accounts: new Map(accounts) }
}

function readPem(env: Env, name: string): Buffer {
  const path = env[name]
  try {
    if (path) return readFileSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  throw new EnvError(name, 'the path of a PEM file that can be read (farm certs enrolment)', path)
}
