import { Fragment, options } from 'preact'
import { withSeenMarks } from '../words/direction-marks.ts'

/** Attributes that are read or shown as text. Values of fields stay as they are: they are sent again. */
const texts = ['title', 'aria-label', 'placeholder', 'label', 'alt'] as const

/** Makes every text of the pages show its marks of direction, whoever wrote it. Editors' texts are not the pages'. */
export function showMarks(): void {
  const before = options.vnode
  options.vnode = (node) => {
    if (typeof node.type === 'string' || node.type === Fragment) {
      const props = node.props as Record<string, unknown>
      if (props.children !== undefined) props.children = seen(props.children)
      for (const name of texts) if (typeof props[name] === 'string') props[name] = seen(props[name])
    }
    before?.(node)
  }
}

function seen(child: unknown): unknown {
  if (typeof child === 'string') return withSeenMarks(child)
  return Array.isArray(child) ? child.map(seen) : child
}
