import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Folder of slow results, built once for all checkouts of this user. */
export function cacheDir() {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'farm')
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'farm')
}

/** Returns the folder of the programs that the set-up fetched or built. */
export function cacheBinDir() {
  return join(cacheDir(), 'bin')
}

/** True where an executable file exists. */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // absent and unusable are the same answer here
  }
}

/** Returns the path of the first of `names` that is on PATH, or undefined. */
export function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram)
    if (found) return found
  }
  return undefined
}

/** Returns the folder of the set-up's own ffmpeg and ffprobe (ffmpeg.mjs), built or not. */
export function ownFfmpegDir() {
  return join(cacheDir(), 'ffmpeg')
}

/** Returns that folder when both are there, or undefined. */
export function ownFfmpeg() {
  const dir = ownFfmpegDir()
  return ['ffmpeg', 'ffprobe'].every((name) => isProgram(join(dir, name))) ? dir : undefined
}

/** Returns the path of a program on PATH, else of the one in the set-up's cache, or undefined. */
export function findProgram(name) {
  const cached = join(cacheBinDir(), name)
  return onPath(name) ?? (isProgram(cached) ? cached : undefined)
}
