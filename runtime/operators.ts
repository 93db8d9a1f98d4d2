import {
  type Env,
  EnvError,
  type ListenAddress,
  readBaseUrl,
  readChoice,
  readListenAddress,
} from './env.ts'

/** Listener of the operators' API and pages: none, the customers' one, or an address of its own. */
export type OperatorListener = 'off' | 'on' | ListenAddress

/** Hosts that listen at every address of the machine. */
const unspecified: readonly string[] = ['0.0.0.0', '::']

/** @throws EnvError */
export function readOperatorListener(env: Env): OperatorListener {
  const name = 'FARM_OPERATOR_API'
  const isAddress = env[name]?.includes(':') ?? false
  return isAddress ? readListenAddress(env, name, '') : readChoice(env, name, ['off', 'on'], 'off')
}

/** Reads FARM_OPERATOR_URL, at which operators reach a listener of their own. @throws EnvError */
function readOperatorUrl(env: Env, fallback: string): string {
  return readBaseUrl(env, 'FARM_OPERATOR_URL', fallback)
}

/**
 * Reads the address of the operators' pages: FARM_OPERATOR_URL, else that of their own listener, else the
 * customers'. @throws EnvError
 */
export function readOperatorPages(env: Env, publicUrl: string): string {
  const listener = readOperatorListener(env)
  const { FARM_OPERATOR_URL: given } = env
  if (typeof listener !== 'string') {
    const { host, port } = listener
    if (!given && (port === 0 || unspecified.includes(host))) {
      // Links and the pages' cookie need an address that a browser can open.
      const wanted = `the address at which operators reach FARM_OPERATOR_API=${env.FARM_OPERATOR_API}`
      throw new EnvError('FARM_OPERATOR_URL', wanted, 'nothing')
    }
    return readOperatorUrl(env, `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  }
  if (listener === 'off' || !given) return readOperatorUrl(env, publicUrl)
  throw new EnvError('FARM_OPERATOR_URL', 'empty where FARM_OPERATOR_API is on', given)
}
