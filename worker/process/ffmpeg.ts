import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { isProgram, ownFfmpeg } from '../../infra/setup/cache.mjs'
import { type Env, EnvError } from '../../runtime/env.ts'

const programs = ['ffmpeg', 'ffprobe'] as const

/**
 * Returns the folder of ffmpeg and ffprobe: FARM_FFMPEG, else the build of the set-up (decision
 * 0065); undefined = those on PATH. @throws EnvError
 */
export function findFfmpeg(env: Env): string | undefined {
  if (!env.FARM_FFMPEG) return runningOwn()
  const dir = resolve(env.FARM_FFMPEG)
  if (programs.every((name) => isProgram(join(dir, name)))) return dir
  throw new EnvError('FARM_FFMPEG', 'a folder with ffmpeg and ffprobe', env.FARM_FFMPEG)
}

/** Returns the set-up's own build, unless the system libraries that it needs are gone. */
function runningOwn(): string | undefined {
  const dir = ownFfmpeg()
  const runs = (name: string) => spawnSync(join(dir ?? '', name), ['-version']).status === 0
  return dir !== undefined && programs.every(runs) ? dir : undefined
}

let found: { readonly dir: string | undefined } | undefined

/**
 * Returns the command for a program: the path of ffmpeg and ffprobe, else its name. @throws
 * EnvError
 */
export function programPath(name: string): string {
  if (!programs.some((each) => each === name)) return name
  found ??= { dir: findFfmpeg(process.env) }
  return found.dir === undefined ? name : join(found.dir, name)
}
