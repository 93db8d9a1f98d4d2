import './bulk.css'
import type { Bulk } from '../../../client/farm-client.ts'
import { count } from '../words/format.ts'

/** Counts of a bulk's jobs as one bar, with the same counts as words. */
export function CountBar({ counts, refused }: { counts: Bulk['counts']; refused: number }) {
  const parts = [
    { name: 'completed', value: counts.completed },
    { name: 'running', value: counts.resolving + counts.rendering + counts.assembling },
    { name: 'queued', value: counts.queued },
    { name: 'failed', value: counts.failed + refused },
    { name: 'cancelled', value: counts.cancelled },
  ].filter(({ value }) => value > 0)
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  let at = 0
  return (
    <div class="count-bar">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, value }) => {
          const wide = (value / total) * 100
          at += wide
          return <rect key={name} class={name} x={at - wide} y={0} width={wide} height={8} />
        })}
      </svg>
      <p class="quiet">{parts.map(({ name, value }) => `${count(value)} ${name}`).join(', ')}</p>
    </div>
  )
}
