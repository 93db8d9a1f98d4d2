import { signal } from '@preact/signals'
import { jainIndex } from '../../../../core/queue/shares.ts'
import { read } from '../api/operator-api.ts'
import { type Figures, totals } from '../now/totals.ts'
import { type Sample, thinned } from './samples.ts'

/** Figures that this tab has read since it was opened, for the charts. */
export const samples = signal<readonly Sample[]>([])

/** Reads the figures of the farm, and keeps them for the charts. */
export async function readFigures(ending: AbortSignal): Promise<Figures> {
  const figures = await read('GET /api/operator/figures', { signal: ending })
  const { queued, oldest, running, nodes, slots } = totals(figures)
  const { deliveries, outbox, shares } = figures
  const values = {
    ...{ queued, oldest, running, nodes, slots, fairness: jainIndex(shares) },
    ...{ webhooks: deliveries.pending, words: outbox.unsent },
  }
  samples.value = thinned([...samples.value, { at: Date.now(), values }])
  return figures
}
