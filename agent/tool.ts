import type { FarmClient } from '../client/farm-client.ts'
import type { Person, Question, QuestionSecrets } from './questions.ts'
import { oneLine } from './strangers-text.ts'
import type { DetailedTask } from './tasks/task.ts'

/** JSON Schema of an object, without oneOf, anyOf, allOf, $ref and $defs: some hosts drop those. */
export type ObjectSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

/** The connection that a tool is called on. */
export type Agent = {
  readonly farm: FarmClient
  readonly connection: Connection
  /** Aborts when the host has cancelled the call. */
  readonly signal: AbortSignal
  /** Tells the host how much is done; does nothing where it did not ask. */
  readonly progress: (done: number, total: number, message: string) => void
  /** The host takes a task in place of an answer. */
  readonly takesTasks: boolean
  /** Asks the person before credits are spent; undefined where the host cannot ask. */
  readonly person: Person | undefined
}

/** A connection that calls tools; `farm` acts for its account. */
export type Acting = Pick<Agent, 'farm' | 'connection'> & {
  /** Aborts when the connection ends, with an Error that says how; absent where it cannot. */
  readonly ended?: AbortSignal
  /** Step for the person when the credential is refused; undefined: connect again. */
  readonly reconnect?: string
  /** Signs questions to the person. */
  readonly questionSecrets: QuestionSecrets
  /** Owner of the connection: answers of others do not count. */
  readonly owner: string
}

export type Profile = 'readonly' | 'creator' | 'automation' | 'developer'

export type Connection = {
  readonly profile: Profile
  /** Most credits that one render may cost; null = no limit of the connection. */
  readonly renderCap: number | null
  /**
   * Most credits that all its renders may cost together, and what of them is left at this call;
   * null = no such limit.
   */
  readonly total: { readonly cap: number; readonly left: number } | null
  /** Most items of a bulk. */
  readonly bulkCap: number
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/**
 * `task`: the answer takes time, and is asked for by the task's id. `question`: the person must
 * answer first; the host then calls again.
 */
export type ToolResult = Answer | { readonly task: DetailedTask } | { readonly question: Question }

export type Answer = {
  readonly content: readonly Content[]
  /** Goes out only of a tool with an output schema, and is never beside a picture. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

export type Tool = {
  readonly name: string
  readonly title: string
  /** Says what it does, then what it costs, then what comes next; at most 200 characters. */
  readonly description: string
  readonly hints: ToolHints
  readonly input: ObjectSchema
  readonly output?: ObjectSchema
  readonly run: (input: never, agent: Agent) => Promise<ToolResult>
}

export type ToolHints = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

const closed = { openWorldHint: false }

/** Hints of the kinds of tools. Hosts take a missing hint for the worst case. */
export const hints = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...closed },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...closed },
  setsOnce: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, ...closed },
  spends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, ...closed },
} as const satisfies Record<string, ToolHints>

type Shape = Readonly<Record<string, object>>

/** Returns the schema of an object; names that end in `?` are optional. */
export function object(shape: Shape): ObjectSchema {
  const entries = Object.entries(shape)
  const required = entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name]))
  const properties = Object.fromEntries(
    entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
  )
  return {
    ...{ type: 'object', properties },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** Returns the schema of a string. */
export function string(description?: string): object {
  return { type: 'string', ...(description !== undefined && { description }) }
}

/** Returns the schema of an integer from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, description?: string): object {
  return { type: 'integer', minimum, maximum, ...(description !== undefined && { description }) }
}

/** Schema of any object, whose language `get_schema` describes by parts. */
export const anyObject = { type: 'object' } as const

/** Creates a tool whose handler gets the type that it declares for its input. */
export function tool<Input>(
  definition: Omit<Tool, 'run'> & {
    readonly run: (input: Input, agent: Agent) => Promise<ToolResult>
  },
): Tool {
  return definition
}

/** Returns a result of text alone: each argument is one line, whatever it holds. */
export function text(...lines: readonly string[]): Answer {
  return { content: [{ type: 'text', text: lines.map(oneLine).join('\n') }] }
}

/** Returns a result of text, and the same facts for programs. */
export function facts(structured: Readonly<Record<string, unknown>>): Answer {
  return { content: [{ type: 'text', text: oneLine(JSON.stringify(structured)) }], structured }
}
