import type { Env } from '../env.ts'
import type { Log } from '../log.ts'
import type { SpanPlace } from './places.ts'

/** Ids, counts and words of the farm's own: never a URL, a secret or a customer's text. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A time is a Date or ms since 1970. */
type Time = Date | number

export type NewSpan = {
  /** One of few: what differs from one to the next belongs into the attributes. */
  readonly name: string
  readonly place: SpanPlace
  /** Absent: internal. */
  readonly kind?: 'server' | 'client'
  readonly attributes?: Attributes
  /** Spans of other traces that belong to it. */
  readonly links?: readonly Omit<SpanPlace, 'parentId'>[]
}

export type PastSpan = NewSpan & {
  readonly start: Time
  readonly end: Time
  /** Why it failed, as a code; absent: it did not. */
  readonly failure?: string | undefined
}

/** A span that has begun and not ended. */
export type RunningSpan = {
  /** False: nothing of it is kept, so nothing need be found out for it. */
  readonly isRecording: boolean
  /** For the lines of a log; empty where there is no tracing. */
  readonly ids: { readonly trace_id?: string; readonly span_id?: string }
  set(attributes: Attributes): void
  event(name: string, attributes: Attributes, at: Time): void
  /** Does a part of its work, as a span within it. */
  part<T>(
    name: string,
    work: (part: RunningSpan) => Promise<T>,
    attributes?: Attributes,
  ): Promise<T>
  /** `failure`: a code; absent: it did not fail. */
  end(failure?: string): void
}

/** What a role says of its work to whoever collects traces. Nothing here waits, throws or fails. */
export type Tracing = {
  /** Whether the trace of a job or a bulk is kept: every role that is set up alike answers the same. */
  keeps(id: string): boolean
  record(span: PastSpan): void
  begin(span: NewSpan): RunningSpan
  /** Sends what is left, for a second at most. */
  stop(): Promise<void>
}

export const noSpan: RunningSpan = {
  isRecording: false,
  ids: {},
  set: () => undefined,
  event: () => undefined,
  part: (_, work) => work(noSpan),
  end: () => undefined,
}

export const noTracing: Tracing = {
  keeps: () => false,
  record: () => undefined,
  begin: () => noSpan,
  stop: async () => undefined,
}

/** Whether traces are asked for, in the variables that all of OpenTelemetry reads. */
export function isTraced(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT)
}

/**
 * The tracing of a role. Where no collector is named nothing is loaded: OpenTelemetry costs a
 * process 0.2 s at its start, and 22 MB. `instance`: what tells it from others of its role, as the logs do.
 */
export async function openTracing(options: {
  readonly role: string
  readonly instance?: string
  readonly env: Env
  readonly log: Log
}): Promise<Tracing> {
  if (!isTraced(options.env)) return noTracing
  const { openOtlp } = await import('./otlp.ts')
  return await openOtlp(options)
}
