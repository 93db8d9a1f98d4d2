import { type Signal, signal } from '@preact/signals'

/** Keeps a choice of this browser between visits. `read` returns undefined for what it does not know. */
export function kept<T>(
  place: string,
  { first, read }: { first: T; read: (text: string) => T | undefined },
): { readonly now: Signal<T>; choose(value: T): void } {
  const name = `farm ${place}`
  const text = localStorage.getItem(name)
  const now = signal<T>((text === null ? undefined : read(text)) ?? first)
  // Another tab has chosen.
  addEventListener('storage', ({ key, newValue }) => {
    if (key === name && newValue !== null) now.value = read(newValue) ?? first
  })
  return {
    now,
    choose(value) {
      now.value = value
      localStorage.setItem(name, Array.isArray(value) ? value.join(' ') : String(value))
    },
  }
}

/** Reads one of some words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T | undefined =>
    words.find((word) => word === text)
