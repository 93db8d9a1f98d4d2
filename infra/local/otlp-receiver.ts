import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span received over OTLP/HTTP in JSON, with its sender. Times in ms since 1970. */
export type SentSpan = {
  readonly service: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** '' = the root of its trace. */
  readonly parentId: string
  readonly kind: number
  readonly start: number
  readonly end: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly {
    readonly name: string
    readonly at: number
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** '' = it succeeded. */
  readonly failure: string
}

/** A collector of traces: accepts JSON that OTLP/HTTP posts to /v1/traces, and keeps it. */
export async function startOtlpReceiver() {
  const spans: SentSpan[] = []
  const bodies: string[] = []
  let connections = 0
  const server = createServer(async (request, reply) => {
    const body = (await json(request)) as Export
    bodies.push(JSON.stringify(body))
    if (request.url === '/v1/traces') spans.push(...spansOf(body))
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    spans,
    bodies,
    connections: () => connections,
    /** Environment that makes every role of a farm send here, soon after each span has ended. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Value = {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}
type Pairs = readonly { readonly key: string; readonly value: Value }[]
type OtlpSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: Pairs
  readonly events?: readonly {
    readonly name: string
    readonly timeUnixNano: string
    readonly attributes?: Pairs
  }[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status?: { readonly code?: number; readonly message?: string }
}
type Export = {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: Pairs }
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[]
  }[]
}

const failed = 2

function spansOf({ resourceSpans = [] }: Export): SentSpan[] {
  return resourceSpans.flatMap(({ resource: sender, scopeSpans = [] }) => {
    const resource = recordOf(sender?.attributes)
    const service = String(resource['service.name'])
    return scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => ({ service, resource, ...spanOf(span) })),
    )
  })
}

function spanOf(span: OtlpSpan) {
  return {
    ...{ name: span.name, traceId: span.traceId, spanId: span.spanId, kind: span.kind },
    parentId: span.parentSpanId ?? '',
    start: msOf(span.startTimeUnixNano),
    end: msOf(span.endTimeUnixNano),
    attributes: recordOf(span.attributes),
    events: (span.events ?? []).map(({ name, timeUnixNano, attributes }) => ({
      ...{ name, at: msOf(timeUnixNano), attributes: recordOf(attributes) },
    })),
    links: span.links ?? [],
    failure: span.status?.code === failed ? (span.status.message ?? 'failed') : '',
  }
}

/** Rounds to the microsecond, the precision of a number here. */
function msOf(nanoseconds: string): number {
  return Math.round(Number(nanoseconds) / 1e3) / 1e3
}

function recordOf(pairs: Pairs = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))
}

function plain({ stringValue, intValue, doubleValue, boolValue }: Value): unknown {
  return intValue === undefined ? (stringValue ?? doubleValue ?? boolValue) : Number(intValue)
}
