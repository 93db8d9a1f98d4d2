import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A task or a fact for the person, in one sentence. Printed as it is, without a stack. */
export class SetupError extends Error {}

/** The set-up was interrupted: nothing else is to be tried. */
export class InterruptedError extends SetupError {}

/** Prints progress to stderr, so that stdout stays clean for a command's output. */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

let isEchoing = false

/** Sends all that commands print from now on to stderr as well: for a log. */
export function echoCommands() {
  isEchoing = true
}

/** Returns PATH without node_modules/.bin, whose `node` npm itself replaces while it installs. */
function systemPath() {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.filter((folder) => !folder.endsWith('node_modules/.bin')).join(':')
}

/**
 * Runs a command silently. Returns its exit code (127 when there is no such command), its stdout
 * and the last lines of its output. A signal is passed on to the command and ends the set-up once
 * the command has ended, so that its leftovers can be removed. `onLine` is called with each line.
 */
export function run(command, args, { cwd, env = {}, timeoutMs, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: systemPath(), ...env },
      // stdin stays the terminal, for sudo's password.
      stdio: ['inherit', 'pipe', 'pipe'],
      timeout: timeoutMs,
    })
    let stdout = ''
    let all = ''
    const hear = (chunk) => {
      all += chunk
      if (isEchoing) process.stderr.write(chunk)
    }
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
      hear(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', hear)
    if (onLine)
      for (const input of [child.stdout, child.stderr])
        createInterface({ input }).on('line', onLine)
    let interrupted = false
    const interrupt = (signal) => {
      interrupted = true
      child.kill(signal)
    }
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
    const tail = () => all.trimEnd().split('\n').slice(-40).join('\n')
    child.once('error', (error) => resolve({ code: 127, stdout, tail: error.message }))
    child.once('close', (code) => {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      if (interrupted)
        reject(new InterruptedError('Set-up was interrupted; run it again to go on.'))
      else resolve({ code: code ?? 1, stdout, tail: tail() })
    })
  })
}

/** Same as run, but a failure throws `sentence`, after printing the end of the output. */
export async function mustRun(command, args, { sentence, ...options }) {
  const result = await run(command, args, options)
  if (result.code === 0) return result
  if (!isEchoing) say(result.tail)
  throw new SetupError(sentence)
}
