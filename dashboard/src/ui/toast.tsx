import { signal } from '@preact/signals'

const shownMs = 5_000
const undoMs = 15_000

type Toast = { readonly id: number; readonly text: string; readonly undo?: () => void }

const toasts = signal<readonly Toast[]>([])
let last = 0

/** Says what was done, for five seconds; longer where `undo` takes it back. */
export function toast(text: string, undo?: () => void): void {
  last += 1
  const id = last
  const hide = () => {
    toasts.value = toasts.value.filter((each) => each.id !== id)
  }
  const undoing = () => {
    hide()
    undo?.()
  }
  toasts.value = [...toasts.value, { id, text, ...(undo && { undo: undoing }) }]
  setTimeout(hide, undo ? undoMs : shownMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo }) => (
        <p key={id}>
          {text}
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
