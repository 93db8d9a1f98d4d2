/** Counts of a pool's nodes: those that take work, silent ones, and others that take none. */
export type PoolNodes = {
  readonly nodes: number
  readonly silent: number
  readonly stopped: number
}

/** Says in a word or two what a pool's nodes do. */
export function poolState({ nodes, silent, stopped }: PoolNodes): string {
  const others = [silent > 0 && `${silent} silent`, stopped > 0 && `${stopped} stopped`]
  const told = others.filter((each) => each !== false)
  if (nodes > 0) return ['works', ...told].join(', ')
  if (told.length === 0) return 'no nodes'
  return told.length === 2 ? told.join(', ') : `all ${silent > 0 ? 'silent' : 'stopped'}`
}
