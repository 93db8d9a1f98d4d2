import { randomUUID } from 'node:crypto'
import { copyFile, open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readWhole } from '../files/read-whole.ts'
import { type Program, runProgram, startProgram } from '../process/programs.ts'
import type { Sandbox } from '../process/sandbox.ts'
import type { DecodeRequest } from './decode-picture.child.ts'
import type { Decoded, Preparation } from './decode-picture.ts'
import { pictureLimits } from './limits.ts'

/** Picture to decode, and the file for its pixels (pixel-file.ts). */
export type DecodeWork = Preparation & { readonly file: string; readonly to: string }

/** Description of the pixels, or the reason why there are none. */
export type Answer = Omit<Decoded, 'raw'> | { readonly error: string; readonly timedOut?: true }

export type DecoderSetting = {
  readonly sandbox: Sandbox
  /** Directory of trays, which the fence hides. */
  readonly trays: string
  /** Existing directory of V8's compile cache for the decoder, which the fence shows. */
  readonly code: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = join(root, 'worker/media/decode-picture.child.ts')
/** Files that the decoder's own code needs; the fence hides the rest of the farm. */
const programFiles = [
  process.execPath,
  join(root, 'package.json'),
  join(root, 'node_modules'),
  join(root, 'worker/media'),
  join(root, 'runtime/mp4/boxes.ts'),
]
const compileTimeoutMs = 60_000
/** An answer is a line of a hundred bytes, or libvips' message about a damaged file. */
const answerMaxChars = 65_536

/**
 * Runs the decoder once, without a picture and without a fence, to fill the compile cache in
 * `code`. A start with it takes half as long, mostly because the type stripper is not loaded.
 */
export async function compileDecoder({ code }: Pick<DecoderSetting, 'code'>): Promise<void> {
  await runProgram({ argv: nodeWith(code), args: [], timeoutMs: compileTimeoutMs })
}

/** Starts a decoder that waits for its first picture. It may read its program, and write its tray. */
export async function startDecoder({ sandbox, trays, code }: DecoderSetting): Promise<Decoder> {
  const fence = { read: [...programFiles, code], write: [], limits: pictureLimits }
  const [env, ...node] = nodeWith(code)
  const argv = [...sandbox.commandLine(env, fence), ...node]
  const path = join(trays, randomUUID())
  const tray = await open(path, 'wx', 0o600)
  try {
    const stdio = ['pipe', 'pipe', 'pipe', tray.fd] as const
    return new Decoder(startProgram(argv, { stdio }), path)
  } finally {
    await tray.close()
  }
}

const nodeWith = (code: string) =>
  ['env', `NODE_COMPILE_CACHE=${code}`, process.execPath, program] as const

/** Process behind the fence that decodes pictures, one at a time. */
export class Decoder {
  /** Resolves with its exit code when it has ended, for whatever reason. */
  readonly ended: Promise<number>
  readonly #program: Program
  readonly #stdin: Writable
  readonly #tray: string
  #said = ''
  #answered: ((line: string) => void) | undefined
  #isAlive = true
  #pictures = 0
  #workedMs = 0

  constructor(running: Program, tray: string) {
    const { stdin, stdout } = running.child
    if (!stdin || !stdout) throw new Error('A decoder must have its pipes. Got none')
    this.#program = running
    this.#stdin = stdin
    this.#tray = tray
    // The exit code tells how it ended.
    stdin.on('error', () => undefined)
    stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    this.ended = running.ended.then(async (exitCode) => {
      this.#isAlive = false
      await rm(tray, { force: true })
      return exitCode
    })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Number of pictures that it was given. */
  get pictures(): number {
    return this.#pictures
  }

  /** Wall-clock time over all of its pictures. */
  get workedMs(): number {
    return this.#workedMs
  }

  /** Last output on stderr, for the log. */
  get stderrTail(): string {
    return this.#program.stderrTail().trim()
  }

  /**
   * Decodes one picture at a time. The pixels are copied to `to`, so later writes to its tray
   * change nothing. Rejects for problems of the files, and with the signal's reason; then the
   * decoder has to be killed.
   */
  async decode(
    { file, to, ...preparation }: DecodeWork,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Answer> {
    const picture = await readWhole(file)
    signal.throwIfAborted()
    this.#pictures += 1
    const began = performance.now()
    let timedOut = false
    const kill = () => void this.kill()
    const timer = setTimeout(() => {
      timedOut = true
      kill()
    }, timeoutMs)
    signal.addEventListener('abort', kill, { once: true })
    try {
      const line = await this.#ask({ ...preparation, bytes: picture.length }, picture)
      signal.throwIfAborted()
      if (line === undefined) return await this.#end(timedOut)
      const answer = readAnswer(line)
      if ('error' in answer) return answer
      await copyFile(this.#tray, to)
      // Frees megabytes of the node's disk; the tray is gone if the decoder is.
      await truncate(this.#tray).catch(() => undefined)
      return answer
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      this.#workedMs += performance.now() - began
    }
  }

  /** Kills it, whatever it is doing. */
  async kill(): Promise<void> {
    this.#isAlive = false
    this.#program.kill()
    // A process that escaped from bwrap still ends when its stdin closes.
    this.#stdin.destroy()
    await this.ended
  }

  /** Sends a request and resolves with the answer; undefined if it ended before it answered. */
  async #ask(request: DecodeRequest, picture: Buffer): Promise<string | undefined> {
    const text = Buffer.from(JSON.stringify(request))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(text.length)
    const answered = new Promise<string>((resolve) => {
      this.#answered = resolve
    })
    this.#stdin.write(Buffer.concat([length, text]))
    this.#stdin.write(picture)
    return await Promise.race([answered, this.ended.then(() => undefined)])
  }

  async #end(timedOut: boolean): Promise<Answer> {
    if (timedOut) return { error: 'decoding took too long', timedOut }
    return { error: `the decoder ended with ${await this.ended}: ${this.stderrTail}` }
  }

  /** Kills a decoder that speaks without a request or does not stop: it may be compromised. */
  #hear(text: string): void {
    this.#said += text
    const end = this.#said.indexOf('\n')
    const isOdd = !this.#answered || (end >= 0 && end < this.#said.length - 1)
    if (isOdd || this.#said.length > answerMaxChars) return void this.kill()
    if (end < 0) return
    const [line, answered] = [this.#said, this.#answered]
    this.#said = ''
    this.#answered = undefined
    answered?.(line)
  }
}

/** Parses an answer strictly, as a compromised decoder may send anything. */
function readAnswer(line: string): Answer {
  try {
    const { width, height, hasAlpha, shown, error } = JSON.parse(line)
    if (typeof error === 'string') return { error }
    const isSize = [width, height].every((edge) => Number.isSafeInteger(edge) && edge > 0)
    const isShare = shown === undefined || (typeof shown === 'number' && shown > 0 && shown <= 1)
    if (isSize && isShare && typeof hasAlpha === 'boolean') {
      return { width, height, hasAlpha, ...(shown !== undefined && { shown }) }
    }
  } catch {
    // Falls through to the error for any invalid answer.
  }
  return { error: 'the decoder gave no answer that can be read' }
}
