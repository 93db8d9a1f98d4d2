import { signal } from '@preact/signals'
import { type Toast, withToast } from './toast-list.ts'

const shownMs = 5_000
const undoMs = 15_000

const toasts = signal<readonly Toast[]>([])
let last = 0

/**
 * Says what was done, for five seconds; longer where `undo` takes it back. `topic`: what is said of it later
 * takes its place.
 */
export function toast(
  text: string,
  { undo, topic }: { readonly undo?: (() => void) | undefined; readonly topic?: string } = {},
): void {
  last += 1
  const id = last
  const hide = () => {
    toasts.value = toasts.value.filter((each) => each.id !== id)
  }
  const undoing = () => {
    hide()
    undo?.()
  }
  const added = { id, text, ...(topic && { topic }), ...(undo && { undo: undoing }) }
  toasts.value = withToast(toasts.value, added)
  setTimeout(hide, undo ? undoMs : shownMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, topic, times, undo }) => (
        <p key={id}>
          {text}
          {times > 1 && topic === undefined && <span class="times">{times} times</span>}
          {undo && (
            <button type="button" class="link" onClick={undo}>
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
