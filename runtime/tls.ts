import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { type Env, EnvError } from './env.ts'

/** PEM texts: our certificate and key, and the authority of the other side. */
export type TlsFiles = { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }

const names = ['FARM_TLS_CA', 'FARM_TLS_CERT', 'FARM_TLS_KEY'] as const

/**
 * Reads the files named by FARM_TLS_CA, FARM_TLS_CERT and FARM_TLS_KEY (`farm certs` makes them);
 * undefined when none is named. @throws EnvError when only some are, or one cannot be read
 */
export function readTlsFiles(env: Env): TlsFiles | undefined {
  if (names.every((name) => !env[name])) return undefined
  const [ca, cert, key] = names.map((name) => readFile(name, env[name])) as [Buffer, Buffer, Buffer]
  return { ca, cert, key }
}

/** Restricts all connections of this process to TLS 1.3 from now on. */
export function requireTls13(): void {
  tls.DEFAULT_MIN_VERSION = 'TLSv1.3'
}

function readFile(name: string, path: string | undefined): Buffer {
  if (!path)
    throw new EnvError(name, `the path of a PEM file, as ${names.join(', ')} go together`, path)
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      throw new EnvError(name, `the path of a PEM file that can be read (${error.code})`, path)
    }
    throw error
  }
}
