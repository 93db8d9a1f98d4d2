import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onPath, ownFfmpeg, ownFfmpegDir } from './cache.mjs'
import { buildOwnFfmpeg } from './ffmpeg-build.mjs'
import {
  buildLock,
  buildLog,
  missingBuildPackages,
  readProgress,
  readRecord,
  recordFile,
  takeUnreportedFailure,
  wantedBuild,
} from './ffmpeg-wanted.mjs'
import { isHeld } from './hold-lock.mjs'
import { say } from './shell.mjs'
import { isRootAtHand } from './system.mjs'

const builder = fileURLToPath(new URL('ffmpeg-builder.mjs', import.meta.url))

/** True where the set-up may build one: Debian's kind of system, unless FARM_FFMPEG names another. */
function mayBeBuilt() {
  return process.platform === 'linux' && onPath('apt-get') && !process.env.FARM_FFMPEG
}

/** Builds it while the set-up waits. Returns whether it did. */
async function install(note) {
  const isBuilt = await buildOwnFfmpeg(note)
  await reportFailure()
  return isBuilt
}

async function reportFailure() {
  const sentence = await takeUnreportedFailure()
  if (sentence) say(sentence)
}

/** Starts a build that outlives this process and its terminal. */
async function startBeside() {
  if ((await wantedBuild()) === undefined) return false
  if ((await missingBuildPackages()).length > 0 && !(await isRootAtHand())) {
    say(
      "The farm's own ffmpeg starts faster than the system's, and building it needs root's password: `npm run setup` asks.",
    )
    return false
  }
  mkdirSync(ownFfmpegDir(), { recursive: true })
  const log = openSync(buildLog(), 'a')
  spawn(process.execPath, [builder], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: ownFfmpegDir(),
  }).unref()
  closeSync(log)
  say(
    `The farm's own ffmpeg, which starts faster, is being built in the background (${buildLog()}); until then the system's makes the same films.`,
  )
  return false
}

/**
 * Returns the step that builds it: in the background where `isBeside`. Undefined where it is there,
 * could not be built before, FARM_FFMPEG names another, or the system's ffmpeg is no Debian package.
 */
export async function ffmpegStep({ isBeside }) {
  if (!mayBeBuilt()) return undefined
  const wanted = await wantedBuild()
  if (wanted ? wanted.name === readRecord().name : onPath('ffmpeg')) {
    await reportFailure()
    return undefined
  }
  const from = "from the source of the system's, with what the farm uses of it (minutes)"
  return {
    // The system's ffmpeg is one of them.
    after: ['programs'],
    isOwnFfmpeg: true,
    name: "the farm's own ffmpeg",
    how: `into ${ownFfmpegDir()}: built ${isBeside ? 'in the background ' : ''}${from}`,
    install: isBeside ? startBeside : install,
  }
}

/** Says in a line that a build goes on in the background; undefined without one. */
export function buildInProgress() {
  if (!mayBeBuilt() || !onPath('flock') || !isHeld(buildLock())) return undefined
  const { text, seconds } = readProgress()
  return `the farm's own is being built, ${text} after ${seconds} s (${buildLog()})`
}

/**
 * Tells of the set-up's build, for `farm doctor`. `old`: its source is not the system's of today;
 * `failed`: it could not be built; `none`: nothing is built on this machine, or not yet.
 */
export async function ownFfmpegState() {
  const progress = buildInProgress()
  if (progress) return { state: 'building', facts: progress }
  const wanted = mayBeBuilt() ? await wantedBuild() : undefined
  if (wanted === undefined) return { state: 'none', facts: '' }
  const { name, failure } = readRecord()
  if (name === wanted.name && failure !== undefined) {
    const facts = `the farm's own was ${failure}`
    return { state: 'failed', facts: `${facts} (${recordFile()})` }
  }
  if (ownFfmpeg() === undefined) return { state: 'none', facts: '' }
  return name === wanted.name
    ? { state: 'current', facts: '' }
    : { state: 'old', facts: "not of the system's sources of today" }
}
