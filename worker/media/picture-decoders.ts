import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../runtime/log.ts'
import { noSpan } from '../../runtime/tracing/tracing.ts'
import { createLanes, type Lanes } from '../agent/lanes.ts'
import type { Sandbox } from '../process/sandbox.ts'
import {
  type Answer,
  compileDecoder,
  type Decoder,
  type DecoderSetting,
  type DecodeWork,
  startDecoder,
} from './decoder.ts'

/**
 * Pool of picture decoders, started ahead of demand: a start takes three times as long as decoding
 * a photograph. A decoder is
 * - a spare: it has run only its own code, and any account may get it;
 * - owned by an account: from its first picture on, and for that account only;
 * - kept: owned and waiting for the account's next picture. It ends when it failed, died or was
 *   stopped at a picture, has worked too long, or was idle for a while.
 */
export type PictureDecoders = {
  /**
   * Decodes a picture. Never rejects for its content, or its effect on the decoder. Rejects for
   * problems of the files, and with the signal's reason.
   */
  decode(
    work: DecodeWork & { readonly accountId: string; readonly signal: AbortSignal },
  ): Promise<Answer>
  /** Ends all decoders. */
  close(): Promise<void>
}

export type DecoderLimits = {
  /** Limit for one picture. */
  readonly timeoutMs: number
  /** Idle time of an account after which its decoder ends. */
  readonly idleMs: number
  /**
   * Delay before the next spare starts, so that it does not compete with the film that took the
   * last one.
   */
  readonly refillMs: number
  /** Most pictures per decoder. */
  readonly picturesMax: number
  /**
   * Most work of a decoder before it is retired: it may hold much memory, and each picture is to
   * have the processor time of `pictureLimits`.
   */
  readonly workMaxMs: number
}

const usualLimits: DecoderLimits = {
  timeoutMs: 60_000,
  idleMs: 30_000,
  refillMs: 5_000,
  picturesMax: 50,
  workMaxMs: 10_000,
}

export async function createPictureDecoders(options: {
  sandbox: Sandbox
  dataDir: string
  log: Log
  /** Most pictures of one account at the same time, and most kept decoders in all. */
  atOnce: number
  spares: number
  limits?: Partial<DecoderLimits>
}): Promise<PictureDecoders> {
  const { dataDir, sandbox, limits } = options
  const dir = join(dataDir, 'decoders')
  const setting = { sandbox, trays: join(dir, 'trays'), code: join(dir, 'code') }
  await rm(setting.trays, { recursive: true, force: true })
  await mkdir(setting.trays, { recursive: true })
  await mkdir(setting.code, { recursive: true })
  return new Pool({ ...options, setting, limits: { ...usualLimits, ...limits } })
}

/** Queue of one account's work, limited to its share; removed when idle. */
type Line = { readonly lanes: Lanes; asking: number }

class Pool implements PictureDecoders {
  readonly #log: Log
  readonly #atOnce: number
  readonly #sparesMax: number
  readonly #setting: DecoderSetting
  readonly #limits: DecoderLimits
  readonly #lines = new Map<string, Line>()
  readonly #living = new Set<Decoder>()
  readonly #spares = new Set<Decoder>()
  /** Ordered, the most recently used last. */
  readonly #idle = new Map<
    Decoder,
    { readonly accountId: string; readonly expiry: NodeJS.Timeout }
  >()
  #refill: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: {
    log: Log
    atOnce: number
    spares: number
    setting: DecoderSetting
    limits: DecoderLimits
  }) {
    this.#log = options.log
    this.#atOnce = options.atOnce
    this.#sparesMax = options.spares
    this.#setting = options.setting
    this.#limits = options.limits
    if (options.spares > 0) void this.#open()
  }

  async decode({
    accountId,
    signal,
    ...work
  }: DecodeWork & { accountId: string; signal: AbortSignal }): Promise<Answer> {
    const line = this.#lines.get(accountId) ?? { lanes: createLanes(this.#atOnce), asking: 0 }
    this.#lines.set(accountId, line)
    line.asking += 1
    try {
      return await line.lanes.run({ signal, span: noSpan }, async () => {
        const idle = this.#takeIdle(accountId)
        if (idle) {
          const answer = await this.#use(idle, work, { accountId, signal })
          // Earlier pictures may have corrupted it: only a fresh decoder may refuse a picture.
          if (!('error' in answer) || answer.timedOut) return answer
        }
        return await this.#use(await this.#takeFresh(), work, { accountId, signal })
      })
    } finally {
      line.asking -= 1
      if (line.asking === 0) this.#lines.delete(accountId)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#refill)
    for (const { expiry } of this.#idle.values()) clearTimeout(expiry)
    await Promise.all([...this.#living].map((decoder) => decoder.kill()))
  }

  async #open(): Promise<void> {
    try {
      await compileDecoder(this.#setting)
      await this.#fill()
    } catch (error) {
      this.#log.warn({ err: error }, 'no picture decoder could be started')
    }
  }

  async #use(
    decoder: Decoder,
    work: DecodeWork,
    { accountId, signal }: { accountId: string; signal: AbortSignal },
  ): Promise<Answer> {
    let isGood = false
    try {
      const answer = await decoder.decode(work, { timeoutMs: this.#limits.timeoutMs, signal })
      isGood = !('error' in answer)
      return answer
    } finally {
      if (isGood && this.#mayGoOn(decoder)) this.#keep(decoder, accountId)
      else void decoder.kill()
    }
  }

  #mayGoOn({ isAlive, pictures, workedMs }: Decoder): boolean {
    const { picturesMax, workMaxMs } = this.#limits
    return isAlive && pictures < picturesMax && workedMs < workMaxMs && !this.#isClosed
  }

  #keep(decoder: Decoder, accountId: string): void {
    const expiry = setTimeout(() => void decoder.kill(), this.#limits.idleMs).unref()
    this.#idle.set(decoder, { accountId, expiry })
    const [oldest] = this.#idle.keys()
    if (this.#idle.size > this.#atOnce) void oldest?.kill()
  }

  /** Returns the most recently used one: its memory is warm, and the others may expire. */
  #takeIdle(accountId: string): Decoder | undefined {
    const own = [...this.#idle].findLast(([, idle]) => idle.accountId === accountId)
    if (!own) return undefined
    const [decoder, { expiry }] = own
    clearTimeout(expiry)
    this.#idle.delete(decoder)
    return decoder.isAlive ? decoder : undefined
  }

  async #takeFresh(): Promise<Decoder> {
    this.#refillLater()
    for (const spare of this.#spares) {
      this.#spares.delete(spare)
      if (spare.isAlive) return spare
    }
    return await this.#start()
  }

  #refillLater(): void {
    if (this.#sparesMax === 0 || this.#refill || this.#isClosed) return
    this.#refill = setTimeout(() => {
      this.#refill = undefined
      this.#fill().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'no picture decoder could be started'),
      )
    }, this.#limits.refillMs).unref()
  }

  async #fill(): Promise<void> {
    while (this.#spares.size < this.#sparesMax && !this.#isClosed) {
      this.#spares.add(await this.#start())
    }
  }

  async #start(): Promise<Decoder> {
    const decoder = await startDecoder(this.#setting)
    this.#living.add(decoder)
    void decoder.ended.then((exitCode) => this.#forget(decoder, exitCode))
    if (this.#isClosed) {
      await decoder.kill()
      throw new Error('The node ends: no picture is decoded any more')
    }
    return decoder
  }

  #forget(decoder: Decoder, exitCode: number): void {
    this.#living.delete(decoder)
    clearTimeout(this.#idle.get(decoder)?.expiry)
    this.#idle.delete(decoder)
    if (!this.#spares.delete(decoder) || this.#isClosed) return
    const { stderrTail } = decoder
    this.#log.warn({ exitCode, stderrTail }, 'a decoder that waited for a picture has ended')
    this.#refillLater()
  }
}
