import type { SentSpan } from '../../infra/local/otlp-receiver.ts'

const columns = 44
const nameColumns = 30

/**
 * Returns a trace as a picture of text: each span under its parent, with its time on a common axis.
 */
export function traceGantt(spans: readonly SentSpan[]): string {
  const first = Math.min(...spans.map(({ start }) => start))
  const span = Math.max(...spans.map(({ end }) => end)) - first
  const columnOf = (at: number) => Math.round(((at - first) / span) * columns)
  const lines: string[] = []
  const show = (parentId: string, depth: number) => {
    const children = spans.filter((each) => each.parentId === parentId)
    for (const each of children.toSorted((a, b) => a.start - b.start)) {
      const from = Math.min(columnOf(each.start), columns - 1)
      const length = Math.max(1, columnOf(each.end) - from)
      const bar = `${' '.repeat(from)}${'█'.repeat(length)}`.padEnd(columns)
      const name = `${'  '.repeat(depth)}${each.name}`.padEnd(nameColumns)
      const seconds = ((each.end - each.start) / 1000).toFixed(3).padStart(7)
      const service = each.service.replace('farm-', '').padEnd(9)
      lines.push(`${name} ${service} ${seconds} ${bar.trimEnd()}${noteOf(each)}`)
      show(each.spanId, depth + 1)
    }
  }
  show('', 0)
  return lines.join('\n')
}

function noteOf({ name, attributes, failure }: SentSpan): string {
  if (failure !== '') return `  ${failure}`
  if (name !== 'segment') return ''
  const painted = attributes['farm.frames.painted']
  return `  ${attributes['farm.frames']} frames, ${painted} painted`
}
