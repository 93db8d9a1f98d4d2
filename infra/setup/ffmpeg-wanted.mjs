import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onPath, ownFfmpeg, ownFfmpegDir } from './cache.mjs'
import { digestOfOptions, libraries, tools } from './ffmpeg-parts.mjs'
import { run } from './shell.mjs'

/** Returns dpkg's fields of an installed package; undefined where it is not installed. */
async function packageFacts(name) {
  const { code, stdout } = await run('dpkg-query', ['--status', name])
  const facts = Object.fromEntries(
    [...stdout.matchAll(/^(\w+): (.*)$/gm)].map(([, ...fact]) => fact),
  )
  return code === 0 && facts.Status === 'install ok installed' ? facts : undefined
}

/** Lists the packages that the build needs and that are missing. */
export async function missingBuildPackages() {
  const missing = []
  for (const name of [...tools, ...Object.values(libraries)]) {
    if (!(await packageFacts(name))) missing.push(name)
  }
  return missing
}

/** Version of a package's source, which a mere rebuild does not change. */
function sourceVersion({ Source = '', Version }) {
  return /\((.*)\)/.exec(Source)?.[1] ?? Version
}

/** Finds the package of the library that the system's ffmpeg encodes with. */
async function encoderFacts() {
  const { stdout: linked } = await run('ldd', ['/usr/bin/ffmpeg'])
  const [, library] = /libx264\.so\.\d+ => (\S+)/.exec(linked) ?? []
  if (library === undefined || !existsSync(library)) return undefined
  const { stdout: owner } = await run('dpkg-query', ['--search', realpathSync(library)])
  const [, name] = /^(\S+): /.exec(owner) ?? []
  return name === undefined ? undefined : await packageFacts(name)
}

/**
 * Returns the build to make: `versions` of the sources, and `name`, which changes with the packages
 * of ffmpeg and x264 and with the options of the build. Undefined where the ffmpeg on PATH is not the
 * system's package.
 */
export async function wantedBuild() {
  const path = onPath('ffmpeg')
  if (path !== undefined && realpathSync(path) !== '/usr/bin/ffmpeg') return undefined
  const [facts, x264] = await Promise.all([packageFacts('ffmpeg'), encoderFacts()])
  if (!facts || !x264) return undefined
  const versions = { ffmpeg: sourceVersion(facts), x264: sourceVersion(x264) }
  return { versions, name: `${facts.Version} ${x264.Version} ${digestOfOptions()}` }
}

/** File that names the latest build, or the one given up, and then why. */
export const recordFile = () => join(ownFfmpegDir(), 'build')
/** Lock of the build: one at a time. */
export const buildLock = () => join(ownFfmpegDir(), 'build.lock')
/** Log of the latest build in the background. */
export const buildLog = () => join(ownFfmpegDir(), 'build.log')
const progressFile = () => join(ownFfmpegDir(), 'build.progress')
/** Third line of a record whose failure has not been reported. */
const unreported = 'not told yet'

export function readRecord() {
  const [name, failure, mark] = existsSync(recordFile())
    ? readFileSync(recordFile(), 'utf8').trim().split('\n')
    : []
  return { name, failure, isUnreported: mark === unreported }
}

async function replaceFile(file, text) {
  await writeFile(`${file}.${process.pid}`, text)
  await rename(`${file}.${process.pid}`, file)
}

export async function recordBuild(name) {
  await replaceFile(recordFile(), `${name}\n`)
}

export async function recordFailure(name, message) {
  const line = message.replaceAll(/\s*\n\s*/g, ' ')
  await replaceFile(recordFile(), `${name}\nnot built: ${line}\n${unreported}\n`)
}

/** Returns the sentence about an unreported failure, and records that it is reported. */
export async function takeUnreportedFailure() {
  const { name, failure, isUnreported } = readRecord()
  if (failure === undefined || !isUnreported) return undefined
  await replaceFile(recordFile(), `${name}\n${failure}\n`)
  // The system's ffmpeg does the same, with a slower start: no reason to stop.
  const instead = ownFfmpeg() ? 'the one that it had' : "the system's ffmpeg"
  const why = failure.replace('not built: ', '')
  return `${why} The farm uses ${instead}. To try again, remove ${recordFile()}.`
}

/** Writes what the build is at, for set-ups that wait for it and for `farm doctor`. */
export async function recordProgress(began, text) {
  await replaceFile(progressFile(), JSON.stringify({ pid: process.pid, began, text }))
}

/** Returns what the running build is at, with its age. Says nothing of whether one runs. */
export function readProgress() {
  try {
    const { began, text } = JSON.parse(readFileSync(progressFile(), 'utf8'))
    return { text, seconds: Math.round((Date.now() - began) / 1000) }
  } catch {
    return { text: 'starting', seconds: 0 } // it has not written any yet
  }
}
