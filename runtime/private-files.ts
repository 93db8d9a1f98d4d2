import { type Env, EnvError } from './env.ts'

/**
 * Makes new files private to this process's user: they are customers' films, strangers' input, and
 * logs. FARM_UMASK (octal, as 027) lets a group read them. @throws EnvError
 */
export function keepFilesPrivate(env: Env): void {
  const text = env.FARM_UMASK || '077'
  if (!/^0?[0-7]{1,3}$/.test(text)) {
    throw new EnvError('FARM_UMASK', 'an octal file mode mask, as 077 or 027', text)
  }
  process.umask(Number.parseInt(text, 8))
}
