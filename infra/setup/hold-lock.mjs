import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { onPath } from './cache.mjs'

/** Answers once it holds the lock, and lives until its stdin closes, as it does at our death. */
const held = 'echo; exec cat'

/**
 * Holds the lock `file` while `work` runs, and returns its result. The kernel frees the lock when
 * this process dies, however that happens. `onWait` is called when another process holds it.
 * Without flock(1), as on macOS, there is no lock.
 */
export async function withLock(file, work, { onWait = () => {} } = {}) {
  const flock = onPath('flock')
  if (!flock) return await work()
  mkdirSync(dirname(file), { recursive: true })
  if (isHeld(file)) onWait()
  // A session of its own: Ctrl-C must not free the lock before this process has tidied up.
  const holder = spawn(flock, [file, 'sh', '-c', held], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => {
    holder.once('close', resolve).once('error', resolve)
  })
  await Promise.race([new Promise((resolve) => holder.stdout.once('data', resolve)), ended])
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await ended
  }
}

/** True where withLock does lock. */
export function canLock() {
  return onPath('flock') !== undefined
}

/** True where a process holds the lock `file`. */
export function isHeld(file) {
  mkdirSync(dirname(file), { recursive: true })
  return spawnSync('flock', ['--nonblock', file, 'true']).status === 1
}
