import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Where slow things are kept, built once for all checkouts of this user. */
export function cacheDir() {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'farm')
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'farm')
}

/** Folder of the programs that the set-up fetched or built. */
export function cacheBinDir() {
  return join(cacheDir(), 'bin')
}

/** Whether a file is there that may be run. */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // absent and unusable are the same answer here
  }
}

/** Path of the first of `names` that is on PATH, or undefined. */
export function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram)
    if (found) return found
  }
  return undefined
}

/** Folder of the ffmpeg and ffprobe that the set-up built (ffmpeg.mjs), whether or not they are there. */
export function ownFfmpegDir() {
  return join(cacheDir(), 'ffmpeg')
}

/** That folder when both are there, or undefined. */
export function ownFfmpeg() {
  const dir = ownFfmpegDir()
  return ['ffmpeg', 'ffprobe'].every((name) => isProgram(join(dir, name))) ? dir : undefined
}

/** Path of a program on PATH, or else of the one the set-up put in the cache, or undefined. */
export function findProgram(name) {
  const cached = join(cacheBinDir(), name)
  return onPath(name) ?? (isProgram(cached) ? cached : undefined)
}
