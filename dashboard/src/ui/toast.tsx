import { signal } from '@preact/signals'

const shownMs = 5_000
const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([])
let last = 0

/** Says what was done, for five seconds. */
export function toast(text: string): void {
  last += 1
  const id = last
  toasts.value = [...toasts.value, { id, text }]
  setTimeout(() => {
    toasts.value = toasts.value.filter((each) => each.id !== id)
  }, shownMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
