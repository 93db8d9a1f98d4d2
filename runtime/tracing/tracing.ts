import type { Env } from '../env.ts'
import type { Log } from '../log.ts'
import type { SpanPlace } from './places.ts'

/** Ids, counts and words of the farm's own: never a URL, a secret or a customer's text. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A time is a Date or ms since 1970. */
type Time = Date | number

export type NewSpan = {
  /** Low-cardinality name: anything that varies belongs in the attributes. */
  readonly name: string
  readonly place: SpanPlace
  /** Absent: internal. */
  readonly kind?: 'server' | 'client'
  readonly attributes?: Attributes
  /** Related spans of other traces. */
  readonly links?: readonly Omit<SpanPlace, 'parentId'>[]
}

export type PastSpan = NewSpan & {
  readonly start: Time
  readonly end: Time
  /** Error code of a failure; absent: it succeeded. */
  readonly failure?: string | undefined
}

/** A span that has begun and not ended. */
export type RunningSpan = {
  /** False: the span is dropped, so nothing need be computed for it. */
  readonly isRecording: boolean
  /** Ids for log lines; empty without tracing. */
  readonly ids: { readonly trace_id?: string; readonly span_id?: string }
  set(attributes: Attributes): void
  event(name: string, attributes: Attributes, at: Time): void
  /** Runs a part of the work as a child span. */
  part<T>(
    name: string,
    work: (part: RunningSpan) => Promise<T>,
    attributes?: Attributes,
  ): Promise<T>
  /** `failure`: an error code; absent: it succeeded. */
  end(failure?: string): void
}

/** A role's tracing for collectors. No method waits, throws or fails. */
export type Tracing = {
  /** True where the trace of a job or a bulk is kept: every role with the same settings agrees. */
  keeps(id: string): boolean
  record(span: PastSpan): void
  begin(span: NewSpan): RunningSpan
  /** Sends the rest, for a second at most. */
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

/** True where OpenTelemetry's own variables ask for traces. */
export function isTraced(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT)
}

/**
 * Opens the tracing of a role. Without a collector nothing is loaded: OpenTelemetry costs a process
 * 0.2 s at its start, and 22 MB. `instance`: distinguishes it from others of its role, as in the logs.
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
