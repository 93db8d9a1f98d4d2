import { spawn } from 'node:child_process'

/** What the person must do or know, in one sentence. Printed as it is, without a stack. */
export class SetupError extends Error {}

/** Somebody stopped it: nothing else is to be tried. */
export class InterruptedError extends SetupError {}

/** Progress goes to stderr: what a command answers on stdout stays clean. */
export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** PATH without node_modules/.bin, whose `node` npm itself replaces while it installs. */
function systemPath() {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.filter((folder) => !folder.endsWith('node_modules/.bin')).join(':')
}

/**
 * Runs a command silently. Answers its exit code (127 when there is no such command), its stdout
 * and the last lines of everything it printed. A signal goes on to the command and ends the set-up
 * once the command has ended, so that what it left can be removed.
 */
export function run(command, args, { cwd, env = {}, timeoutMs } = {}) {
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
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      all += chunk
    })
    child.stderr.on('data', (chunk) => {
      all += chunk
    })
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

/** As run, but a failure throws `sentence`, after printing the end of what the command said. */
export async function mustRun(command, args, { sentence, ...options }) {
  const result = await run(command, args, options)
  if (result.code === 0) return result
  say(result.tail)
  throw new SetupError(sentence)
}
