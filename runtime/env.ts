import { isIP } from 'node:net'

/** `process.env`, or a test's replacement. */
export type Env = Readonly<Record<string, string | undefined>>

/** A missing or invalid variable. The message is one sentence for the operator. */
export class EnvError extends Error {
  constructor(name: string, rule: string, value: string | undefined) {
    super(`${name} must be ${rule}. Got ${value === undefined ? 'nothing' : JSON.stringify(value)}`)
    this.name = 'EnvError'
  }
}

/** Reads a non-empty text. Without a fallback it is required. */
export function readText(env: Env, name: string, rule: string, fallback?: string): string {
  const value = env[name] || fallback
  if (value === undefined) throw new EnvError(name, rule, env[name])
  return value
}

/** Same as readText, but never echoed in the error. */
export function readSecret(env: Env, name: string, minLength: number): string {
  const value = env[name] ?? ''
  if (value.length < minLength) {
    const seen = value === '' ? undefined : '(too short)'
    throw new EnvError(name, `a secret of at least ${minLength} characters`, seen)
  }
  return value
}

export function readInteger(
  env: Env,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback?: number },
): number {
  const text = env[name]
  if (!text && fallback !== undefined) return fallback
  const value = Number(text)
  if (!text || !Number.isInteger(value) || value < min || value > max) {
    throw new EnvError(name, `an integer from ${min} to ${max}`, text)
  }
  return value
}

/** Reads one of a few words. */
export function readChoice<const Word extends string>(
  env: Env,
  name: string,
  choices: readonly Word[],
  fallback: Word,
): Word {
  const text = env[name] || fallback
  const word = choices.find((each) => each === text)
  if (word === undefined) throw new EnvError(name, `one of ${choices.join(', ')}`, text)
  return word
}

/** Reads a comma-separated list; empty when absent. */
export function readList(env: Env, name: string): readonly string[] {
  return (env[name] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Reads a list of a few words and returns them in their own order; all when absent. */
export function readChoices<Word extends string>(
  env: Env,
  name: string,
  choices: readonly Word[],
): readonly Word[] {
  const asked = readList(env, name)
  const unknown = asked.find((each) => !choices.some((word) => word === each))
  if (unknown !== undefined) throw new EnvError(name, `a list of ${choices.join(', ')}`, unknown)
  return asked.length === 0 ? choices : choices.filter((word) => asked.includes(word))
}

/** Address that a server listens on; port 0 picks any free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** Reads `IP:port`, as `127.0.0.1:9470` or `[::1]:9470`. */
export function readListenAddress(env: Env, name: string, fallback: string): ListenAddress {
  const text = env[name] || fallback
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  const port = Number(digits)
  if (isIP(host) === 0 || port > 65_535) {
    throw new EnvError(name, 'IP:port, as 127.0.0.1:9470 (port 0: any free one)', text)
  }
  return { host, port }
}

/** Reads an http(s) origin with an optional path, without a trailing slash. */
export function readBaseUrl(env: Env, name: string, fallback?: string): string {
  const text = readText(env, name, 'an http(s) URL', fallback).replace(/\/+$/, '')
  if (!/^https?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) {
    throw new EnvError(name, 'an http(s) URL', env[name])
  }
  return text
}

export function isProduction(env: Env): boolean {
  return env.FARM_ENV === 'production'
}

/**
 * FARM_TRUSTED_HOSTS: `host:port` that customers' URLs may name despite the media URL rule. For
 * development and tests; a production farm refuses to start with it.
 */
export function readTrustedHosts(env: Env): readonly string[] {
  const name = 'FARM_TRUSTED_HOSTS'
  const hosts = readList(env, name)
  if (hosts.length > 0 && isProduction(env)) {
    throw new EnvError(name, 'empty when FARM_ENV is production', env[name])
  }
  for (const host of hosts) {
    if (!/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}$/i.test(host)) {
      throw new EnvError(name, 'a comma-separated list of host:port', env[name])
    }
  }
  return hosts
}

/**
 * FARM_TRUSTED_PROXIES: addresses, or ranges of them (10.0.0.0/8), whose `X-Forwarded-For` is
 * trusted. Empty: no proxy is trusted, and a request comes from its connection's address.
 */
export function readTrustedProxies(env: Env): readonly string[] {
  const name = 'FARM_TRUSTED_PROXIES'
  const proxies = readList(env, name)
  for (const proxy of proxies) {
    const [address = '', bits, ...more] = proxy.split('/')
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
    // A range of all addresses would trust everybody.
    if (most < 0 || !isRange || more.length > 0 || Number(bits) === 0) {
      throw new EnvError(name, 'a comma-separated list of IP addresses or ranges', env[name])
    }
  }
  return proxies
}
