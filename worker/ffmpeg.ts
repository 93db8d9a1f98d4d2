import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { isProgram, ownFfmpeg } from '../infra/setup/cache.mjs'
import { type Env, EnvError } from '../runtime/env.ts'

const programs = ['ffmpeg', 'ffprobe'] as const

/**
 * Folder of the ffmpeg and ffprobe to use: FARM_FFMPEG, else the ones that the set-up built (decision 0065);
 * undefined = those on PATH. @throws EnvError
 */
export function findFfmpeg(env: Env): string | undefined {
  if (!env.FARM_FFMPEG) return runningOwn()
  const dir = resolve(env.FARM_FFMPEG)
  if (programs.every((name) => isProgram(join(dir, name)))) return dir
  throw new EnvError('FARM_FFMPEG', 'a folder with ffmpeg and ffprobe', env.FARM_FFMPEG)
}

/** The system's libraries, which it needs, may have gone: then the system's ffmpeg is used. */
function runningOwn(): string | undefined {
  const dir = ownFfmpeg()
  const runs = (name: string) => spawnSync(join(dir ?? '', name), ['-version']).status === 0
  return dir !== undefined && programs.every(runs) ? dir : undefined
}

let found: { readonly dir: string | undefined } | undefined

/** How a program is started: by its path where it is one of those, by its name otherwise. @throws EnvError */
export function programPath(name: string): string {
  if (!programs.some((each) => each === name)) return name
  found ??= { dir: findFfmpeg(process.env) }
  return found.dir === undefined ? name : join(found.dir, name)
}
