import type { Readable } from 'node:stream'
import type { Ended } from './programs.ts'
import type { Fence, Sandbox } from './sandbox.ts'

/** A command of ffmpeg that runs to its end. At most one source is a stream, which ffmpeg reads. */
export type OneShot = {
  readonly inputs: readonly {
    readonly source: string | Readable
    readonly options: readonly string[]
  }[]
  readonly outputs: readonly {
    /** A path, or `-` with a null muxer. */
    readonly target: string
    readonly options: readonly string[]
  }[]
}

export type FencedOptions = {
  readonly sandbox: Sandbox
  readonly fence: Fence
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Runs a command behind the fence. A failing one does not reject; an abort does. */
export async function runFenced(shot: OneShot, options: FencedOptions): Promise<Ended> {
  const stdin = shot.inputs.map(({ source }) => source).find((source) => typeof source !== 'string')
  return await options.sandbox.run({
    ...{ ...options, program: 'ffmpeg', args: argsOf(shot) },
    ...(stdin && { stdin }),
  })
}

function argsOf({ inputs, outputs }: OneShot): string[] {
  return [
    ...inputs.flatMap(({ source, options }) => [
      ...options,
      ...['-i', typeof source === 'string' ? source : 'pipe:0'],
    ]),
    '-y',
    ...outputs.flatMap(({ target, options }) => [...options, target]),
  ]
}
