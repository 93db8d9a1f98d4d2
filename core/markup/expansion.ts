/** An element and what it paints besides: its children, and the elements it refers to by id. */
export type PaintNode = {
  readonly children: number[]
  readonly id: string | undefined
  readonly references: readonly string[]
}

/**
 * Counts the elements painted once every reference is followed, as a browser does: ten levels of
 * `<use>` that each name the level below ten times are 10^10. A circular reference counts nothing,
 * as browsers ignore it. Node 0 is the root.
 */
export function expandedCount(nodes: readonly PaintNode[]): number {
  const byId = new Map<string, number>()
  nodes.forEach(({ id }, index) => {
    if (id !== undefined && !byId.has(id)) byId.set(id, index)
  })
  const targets = ({ children, references }: PaintNode) => [
    ...children,
    ...references.flatMap((id) => byId.get(id) ?? []),
  ]
  const counts = new Map<number, number>()
  const open: { index: number; targets: number[]; next: number; count: number }[] = []
  const opened = new Set<number>()
  const enter = (index: number) => {
    const node = nodes[index]
    if (!node || opened.has(index)) return
    opened.add(index)
    open.push({ index, targets: targets(node), next: 0, count: 1 })
  }
  enter(0)
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const target = top.targets[top.next]
    if (target === undefined) {
      counts.set(top.index, top.count)
      open.pop()
      continue
    }
    if (counts.has(target) || opened.has(target)) {
      top.count += counts.get(target) ?? 0
      top.next++
    } else {
      enter(target)
    }
  }
  return counts.get(0) ?? 0
}
