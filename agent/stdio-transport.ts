import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { said } from './protocol-errors.ts'
import { refusalOfRequest } from './refuse-request.ts'
import { readLines, refusalOfLine, refusalOfLongLine } from './stdio-lines.ts'
import { refusalOfListening } from './tasks/refuse-listening.ts'
import type { Profile } from './tool.ts'

/** Time in which the last lines are parsed. */
const parseMs = 100

/**
 * Standard input and output, which end only when every request has its answer: the SDK's transport
 * drops calls that are under way when stdin ends, so that a script could never pipe a request in.
 */
export class AnsweringTransport extends StdioServerTransport {
  readonly #input: PassThrough
  #isOver = false
  readonly #open = new Set<string | number>()

  readonly #profile: Profile

  constructor(profile: Profile) {
    const input = new PassThrough()
    super(input, process.stdout)
    this.#input = input
    this.#profile = profile
  }

  override async start(): Promise<void> {
    await super.start()
    const read = this.onmessage
    this.onmessage = (message, ...rest) => {
      if ('method' in message && 'id' in message) this.#open.add(message.id)
      const refusal = refusalOfListening(message) ?? refusalOfRequest(message, this.#profile)
      if (refusal) void this.send(refusal)
      else read?.(message, ...rest)
    }
    readLines(process.stdin, {
      onLine: (line) => this.#take(line),
      onLong: () => void this.send(refusalOfLongLine()),
      onEnd: () => {
        this.#isOver = true
        setTimeout(() => this.#endIfAnswered(), parseMs)
      },
    })
  }

  #take(bytes: Buffer): void {
    const line = bytes.toString().trim()
    if (line === '') return
    const refusal = refusalOfLine(line, this.#profile)
    if (refusal) void this.send(refusal)
    else this.#input.write(`${line}\n`)
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(said(message))
    if ('method' in message || !('id' in message) || message.id === undefined) return
    this.#open.delete(message.id)
    this.#endIfAnswered()
  }

  #endIfAnswered(): void {
    if (this.#isOver && this.#open.size === 0) this.#input.end()
  }
}
