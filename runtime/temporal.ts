import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Env, EnvError, readChoice, readText } from './env.ts'

/** TLS settings for Temporal's server, each a PEM text. */
export type TemporalTls = {
  /** Authority of the server's certificate; by default those that the machine trusts. */
  readonly serverRootCACertificate?: Buffer
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer }
  /** Name in the server's certificate, where it differs from the address. */
  readonly serverNameOverride?: string
}

/** Connection to Temporal; it fits as the options of both of the SDK's connections. */
export type TemporalServer = {
  readonly address: string
  /** false: plain text. */
  readonly tls: TemporalTls | false
  /** Sent with each call as `authorization: Bearer`. */
  readonly apiKey?: string
}

export type TemporalSettings = { readonly server: TemporalServer; readonly namespace: string }

const switchName = 'TEMPORAL_TLS'
const nameName = 'TEMPORAL_TLS_SERVER_NAME'
const keyName = 'TEMPORAL_API_KEY'
const ca = 'TEMPORAL_TLS_SERVER_CA_CERT'
const cert = 'TEMPORAL_TLS_CLIENT_CERT'
const key = 'TEMPORAL_TLS_CLIENT_KEY'
const pems = [ca, cert, key] as const
const unsafeName = 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'

/**
 * Reads the address and credentials of Temporal, by the names that its CLI and SDKs use. TLS is on
 * as soon as one of its settings or an API key is given. @throws EnvError
 */
export function readTemporal(env: Env): TemporalSettings {
  const address = readText(env, 'TEMPORAL_ADDRESS', 'host:port of a Temporal server')
  const namespace = readText(env, 'TEMPORAL_NAMESPACE', 'a Temporal namespace', 'default')
  return { server: readTemporalServer(env, address), namespace }
}

/** @throws EnvError */
export function readTemporalServer(env: Env, address: string): TemporalServer {
  const apiKey = readApiKey(env)
  return { address, tls: readTls(env, apiKey !== undefined), ...(apiKey && { apiKey }) }
}

function readTls(env: Env, hasApiKey: boolean): TemporalTls | false {
  if (env[unsafeName] && !['false', '0'].includes(env[unsafeName])) {
    const rule = "unset, as the server's certificate is always checked"
    throw new EnvError(unsafeName, rule, env[unsafeName])
  }
  const given = [...pems.flatMap(bothNames), nameName].filter((name) => env[name])
  const fallback = hasApiKey || given.length > 0 ? 'true' : 'false'
  const isOn = ['true', '1'].includes(
    readChoice(env, switchName, ['true', 'false', '1', '0'], fallback),
  )
  if (isOn) return readTlsSettings(env)
  const [first] = given
  if (first !== undefined) {
    throw new EnvError(switchName, `true, as ${first} is given`, env[switchName])
  }
  return false
}

function readTlsSettings(env: Env): TemporalTls {
  const [authority, crt, secret] = [readPem(env, ca), readPem(env, cert), readPem(env, key)]
  if (authority) checkCertificate(authority)
  if ((crt === undefined) !== (secret === undefined)) {
    const missing = crt === undefined ? cert : key
    const rule = `given, as ${cert}_* and ${key}_* go together`
    throw new EnvError(`${missing}_PATH or ${missing}_DATA`, rule, undefined)
  }
  const serverName = env[nameName]
  return {
    ...(authority && { serverRootCACertificate: authority.pem }),
    ...(crt && secret && { clientCertPair: checkPair(crt, secret) }),
    ...(serverName && { serverNameOverride: serverName }),
  }
}

/** A PEM text and its setting, with the part of the value that may be shown. */
type Pem = { readonly pem: Buffer; readonly name: string; readonly shown: string }

function bothNames(stem: string): readonly [string, string] {
  return [`${stem}_PATH`, `${stem}_DATA`]
}

function readPem(env: Env, stem: string): Pem | undefined {
  const [pathName, dataName] = bothNames(stem)
  const [path, data] = [env[pathName], env[dataName]]
  if (path && data) throw new EnvError(pathName, `unset where ${dataName} is given`, path)
  if (data) return { pem: Buffer.from(data), name: dataName, shown: '(not shown)' }
  if (!path) return undefined
  try {
    return { pem: readFileSync(path), name: pathName, shown: path }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new EnvError(pathName, `the path of a PEM file that can be read (${code})`, path)
  }
}

function checkCertificate({ pem, name, shown }: Pem): X509Certificate {
  try {
    // Node accepts a DER file as a certificate, but Temporal's SDK does not.
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return new X509Certificate(pem)
  } catch {}
  throw new EnvError(name, 'a certificate in PEM', shown)
}

function checkPair(crt: Pem, secret: Pem): { crt: Buffer; key: Buffer } {
  const certificate = checkCertificate(crt)
  let isItsKey: boolean
  try {
    isItsKey = certificate.checkPrivateKey(createPrivateKey(secret.pem))
  } catch {
    throw new EnvError(secret.name, 'a private key in PEM without a passphrase', secret.shown)
  }
  if (!isItsKey) {
    throw new EnvError(secret.name, `the key of the certificate of ${crt.name}`, secret.shown)
  }
  return { crt: crt.pem, key: secret.pem }
}

/** Trims the key: files of secrets often end in a line break. */
function readApiKey(env: Env): string | undefined {
  const apiKey = (env[keyName] ?? '').trim()
  if (apiKey === '') return undefined
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw new EnvError(keyName, 'printable ASCII without spaces', '(not shown)')
}
