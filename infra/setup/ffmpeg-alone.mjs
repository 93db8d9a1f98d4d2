// Builds the farm's own ffmpeg without the rest of the set-up, and copies both programs:
// `node infra/setup/ffmpeg-alone.mjs FOLDER`. A stage of deploy/Containerfile runs it as root, on the
// system's Node. The system's ffmpeg must be there, as Debian packages it.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownFfmpeg } from './cache.mjs'
import { buildOwnFfmpeg } from './ffmpeg-build.mjs'
import { readRecord, wantedBuild } from './ffmpeg-wanted.mjs'
import { say } from './shell.mjs'

/** Returns why there is no build; undefined when there is. */
async function failureOf() {
  const wanted = await wantedBuild()
  if (wanted === undefined) return "/usr/bin/ffmpeg of Debian's package must be on PATH."
  await buildOwnFfmpeg(say)
  const { name, failure } = readRecord()
  if (failure !== undefined) return `The farm's own ffmpeg was ${failure}`
  return name === wanted.name && ownFfmpeg() ? undefined : "The farm's own ffmpeg was not built."
}

const [folder] = process.argv.slice(2)
const failure = folder ? await failureOf() : 'Name the folder that gets ffmpeg and ffprobe.'
if (failure === undefined) {
  mkdirSync(folder, { recursive: true })
  for (const program of ['ffmpeg', 'ffprobe']) {
    copyFileSync(join(ownFfmpeg(), program), join(folder, program))
  }
} else {
  say(failure)
  process.exitCode = 1
}
