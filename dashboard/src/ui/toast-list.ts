/** A short notice. `topic`: a later notice of the same topic takes its place. */
export type Toast = {
  readonly id: number
  readonly text: string
  readonly topic?: string
  /** Times that the same was said. */
  readonly times: number
  readonly undo?: () => void
}

/** Adds a notice. Equal ones are one, which counts; each that can be undone stays by itself. */
export function withToast(shown: readonly Toast[], added: Omit<Toast, 'times'>): readonly Toast[] {
  const before = shown.find((each) => isSame(each, added))
  const times = before?.text === added.text ? before.times + 1 : 1
  return [...shown.filter((each) => each !== before), { ...added, times }]
}

function isSame(a: Omit<Toast, 'times'>, b: Omit<Toast, 'times'>): boolean {
  if (a.undo || b.undo) return false
  return a.topic === undefined && b.topic === undefined ? a.text === b.text : a.topic === b.topic
}
