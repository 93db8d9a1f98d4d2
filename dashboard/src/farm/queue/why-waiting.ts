import type { Reply } from '../api/reply.ts'

export type Lane = Reply<'GET /api/operator/queue'>['lanes'][number]

/** Says why tasks of a lane wait: what no node has, which limits are reached, or that others come first. */
export function whyWaiting({ missing, limits, running }: Lane): readonly string[] {
  const reasons = [
    ...(missing.length > 0 ? [`No node has ${missing.join(', ')}`] : []),
    ...limits.map(({ of, name, running: used, most }) => {
      const whose = of === 'farm' ? 'the farm' : `${of} ${name || '(none)'}`
      return `The limit of ${whose} is reached: ${used} of ${most} run`
    }),
  ]
  if (reasons.length > 0) return reasons
  return [running > 0 ? 'Its turn comes as running tasks end' : 'Others come first']
}

/** Returns what a lane asks of a node, as `gpu true`. */
export function asksFor({ requirements }: Lane): string {
  return Object.entries(requirements)
    .filter(
      ([, value]) => value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}
