// Builds the farm's own ffmpeg in the background: what infra/setup/ffmpeg.mjs starts, and leaves to
// itself. All output goes to a log. It gives way to everything else on the machine.
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { buildOwnFfmpeg } from './ffmpeg-build.mjs'
import { buildLock } from './ffmpeg-wanted.mjs'
import { isHeld } from './hold-lock.mjs'
import { echoCommands, say } from './shell.mjs'

const leastUrgent = 19

function giveWay() {
  setPriority(leastUrgent)
  try {
    // Linux shares a core between sessions first, and this is a session of its own.
    writeFileSync('/proc/self/autogroup', String(leastUrgent))
  } catch {
    // This kernel shares cores between processes only.
  }
}

if (isHeld(buildLock())) process.exit() // another process builds it
giveWay()
echoCommands()
const began = Date.now()
const note = (text) => say(`${new Date().toISOString()} ${text}`)
const isBuilt = await buildOwnFfmpeg(note)
note(`${isBuilt ? 'built' : 'not built'} (${Math.round((Date.now() - began) / 1000)} s)`)
