import ffmpeg, { type FfmpegCommand } from 'fluent-ffmpeg'
import { programPath } from './ffmpeg.ts'
import type { OneShot } from './one-shot.ts'

/** Result of a command. `reason`: its error, absent when it worked. */
export type Outcome = { readonly reason?: string; readonly stderr: string }

/**
 * Runs a command on the farm's own files, without a fence; no other file uses fluent-ffmpeg
 * (decision 0101). A failing command does not reject; an abort rejects with the signal's reason.
 */
export async function runOwnFfmpeg(
  shot: OneShot,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Outcome> {
  signal?.throwIfAborted()
  const command = commandOf(shot)
  const running = { isStarted: false, isStopped: false }
  const stop = () => {
    running.isStopped = true
    if (running.isStarted) command.kill('SIGKILL')
  }
  const timer = setTimeout(stop, timeoutMs)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const outcome = await new Promise<Outcome>((resolve) => {
      command.on('start', () => {
        running.isStarted = true
        if (running.isStopped) command.kill('SIGKILL')
      })
      command.on('end', (_, stderr) => resolve({ stderr: stderr ?? '' }))
      command.on('error', ({ message }, _, stderr) => {
        resolve({ reason: message, stderr: stderr ?? '' })
      })
      command.run()
    })
    signal?.throwIfAborted()
    return outcome
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    for (const { source } of shot.inputs) if (typeof source !== 'string') source.destroy()
  }
}

function commandOf({ inputs, outputs }: OneShot): FfmpegCommand {
  const command = ffmpeg({ stdoutLines: 200 })
  // The library keeps one path for the whole process, which is what programPath returns.
  command.setFfmpegPath(programPath('ffmpeg'))
  for (const input of inputs) {
    command.input(input.source)
    if (input.options.length > 0) command.inputOptions(...input.options)
  }
  for (const { target, options } of outputs) command.output(target).outputOptions(...options)
  return command
}
