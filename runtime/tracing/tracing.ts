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
