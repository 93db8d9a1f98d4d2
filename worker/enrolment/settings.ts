import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Env, EnvError } from '../../runtime/env.ts'

/** How a node without a certificate of its own gets one. */
export type EnrolmentConfig = {
  /** gRPC target of the schedulers' enrolment. */
  readonly address: string
  /** Authority of the schedulers. */
  readonly ca: Buffer
  /** Token of an invitation, or path of a file with the pod's, which is read anew each time. */
  readonly token: { readonly text: string } | { readonly file: string }
  /** Folder of a machine's identity, which outlives its process. */
  readonly dir: string
}

const ownNames = ['FARM_TLS_CERT', 'FARM_TLS_KEY', 'FARM_NODE_TOKEN', 'FARM_NODE_ID'] as const

/** Reads the settings of enrolment; undefined where the node has a certificate or needs none. @throws EnvError */
export function readEnrolment(env: Env, dataDir: string): EnrolmentConfig | undefined {
  const { FARM_ENROL_AT: address, FARM_ENROL_TOKEN: text, FARM_ENROL_TOKEN_FILE: file } = env
  if (!address) {
    if (!text && !file) return undefined
    const rule = 'host:port where FARM_ENROL_TOKEN or FARM_ENROL_TOKEN_FILE is set'
    throw new EnvError('FARM_ENROL_AT', rule, undefined)
  }
  if (!/^[^\s:]+:\d{1,5}$/.test(address)) {
    throw new EnvError('FARM_ENROL_AT', 'host:port', address)
  }
  const own = ownNames.find((name) => env[name])
  if (own) throw new EnvError('FARM_ENROL_AT', `unset where ${own} is`, address)
  if (!text === !file) {
    const rule = 'set where FARM_ENROL_TOKEN_FILE is not, or the other way round'
    throw new EnvError('FARM_ENROL_TOKEN', rule, text ? '(a token)' : undefined)
  }
  // Each process of a machine enrols as a node of its own; a pod is one node.
  if (file && Number(env.FARM_PROCESSES ?? 1) > 1) {
    throw new EnvError('FARM_PROCESSES', '1 where FARM_ENROL_TOKEN_FILE is', env.FARM_PROCESSES)
  }
  return {
    address,
    ca: readAuthority(env),
    token: file ? { file } : { text: text ?? '' },
    dir: join(dataDir, 'identity'),
  }
}

function readAuthority(env: Env): Buffer {
  const path = env.FARM_TLS_CA
  try {
    if (path) return readFileSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  throw new EnvError('FARM_TLS_CA', 'the path of a PEM file that can be read', path)
}
