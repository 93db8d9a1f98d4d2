import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shortcuts } from '../settings/choices.ts'
import { remInPixels } from './rem.ts'

type Range = { readonly startIndex: number; readonly endIndex: number; readonly overscan: number }

/** Head of a column. `content`: shown instead of its name. */
export type Head = {
  readonly name: string
  readonly class?: string
  readonly content?: ComponentChildren
}
const headOf = (head: string | Head): Head => (typeof head === 'string' ? { name: head } : head)

const rowsBeside = 6

/**
 * Table of any number of rows, of which only those in view exist. The row that has the focus stays, so that
 * the keyboard never falls out of the list.
 */
export function VirtualList({
  label,
  count,
  rowHeight,
  head,
  onShown,
  kind = 'rows',
  children,
}: {
  label: string
  count: number
  /** In rem. */
  rowHeight: number
  head: readonly (string | Head)[]
  onShown: (first: number, last: number) => void
  /** Class of the table, for its columns; `stacked`: some of them stand below the others. */
  kind?: 'rows' | 'stacked' | 'cells' | 'sheet'
  children: (index: number) => ComponentChildren
}) {
  const frame = useRef<HTMLDivElement>(null)
  const [, redraw] = useState(0)
  const focused = useRef<number | undefined>(undefined)
  /** Row that gets the focus as soon as it can. */
  const sought = useRef<number | undefined>(undefined)
  const options: VirtualizerOptions<HTMLDivElement, HTMLTableRowElement> = {
    count,
    estimateSize: () => rowHeight * remInPixels(),
    getScrollElement: () => frame.current,
    overscan: rowsBeside,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((before) => before + 1),
    rangeExtractor: (range) => rowsOf(range, { count, focused: focused.current }),
  }
  const [virtual] = useState(() => new Virtualizer(options))
  virtual.setOptions(options)
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())

  const rows = virtual.getVirtualItems()
  // The focused row may be far away: it is kept, but what lies between is not looked at.
  const first = virtual.range?.startIndex ?? 0
  const last = virtual.range?.endIndex ?? 0
  useLayoutEffect(() => onShown(first, last), [first, last, count])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || !isOwn(event)) return
    if (event.key === 'x') return chooseRow(frame.current, focused.current)
    const goal = goalOf(event.key, { count, at: focused.current ?? first })
    if (goal === undefined) return
    event.preventDefault()
    virtual.scrollToIndex(goal)
    focused.current = goal
    sought.current = goal
    onShown(goal, goal)
    redraw((before) => before + 1)
  }
  // A row far away has its link only once it is read. Until then the list itself has the focus.
  useLayoutEffect(() => {
    if (sought.current === undefined || !frame.current) return
    if (!hasFocus(frame.current)) {
      sought.current = undefined
      return
    }
    const row = frame.current.querySelector(`tr[data-index="${sought.current}"]`)
    const link = row?.querySelector<HTMLElement>('a')
    const target = link ?? frame.current
    target.focus({ preventScroll: true })
    if (link) sought.current = undefined
  })
  return (
    <section
      class={`virtual ${kind}`}
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a box that scrolls.
      tabIndex={0}
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      <table aria-rowcount={count + 1}>
        <thead>
          <tr>
            {head.map(headOf).map(({ name, content, ...rest }, at) => (
              <th key={`${at} ${name}`} scope="col" {...rest}>
                {content ?? name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          ref={(body) => {
            body?.style.setProperty('height', `${virtual.getTotalSize()}px`)
            body?.style.setProperty('--row-height', `${rowHeight}rem`)
          }}
        >
          {rows.map(({ index, start }) => (
            <tr
              key={index}
              data-index={index}
              aria-rowindex={index + 2}
              ref={(row) => row?.style.setProperty('transform', `translateY(${start}px)`)}
              onFocusCapture={() => {
                focused.current = index
              }}
            >
              {children(index)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** True also when the row that had the focus is gone, and the focus with it. */
function hasFocus(frame: HTMLElement): boolean {
  return document.activeElement === document.body || frame.contains(document.activeElement)
}

function rowsOf(
  { startIndex, endIndex, overscan }: Range,
  { count, focused }: { count: number; focused: number | undefined },
): number[] {
  const first = Math.max(0, startIndex - overscan)
  const last = Math.min(count - 1, endIndex + overscan)
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  if (focused === undefined || focused >= count || (focused >= first && focused <= last))
    return shown
  return [...shown, focused].toSorted((a, b) => a - b)
}

/** True for keys of the list: those of the browser stay, and letters can be switched off. */
function isOwn({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false
  return key.length > 1 || shortcuts.now.value === 'on'
}

/** Presses the checkbox of a row, where the list has any. */
function chooseRow(frame: HTMLElement | null, index: number | undefined): void {
  frame?.querySelector<HTMLElement>(`tr[data-index="${index}"] input[type=checkbox]`)?.click()
}

function goalOf(key: string, { count, at }: { count: number; at: number }): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  if (key === 'j' || key === 'ArrowDown') return Math.min(count - 1, at + 1)
  if (key === 'k' || key === 'ArrowUp') return Math.max(0, at - 1)
  return undefined
}
