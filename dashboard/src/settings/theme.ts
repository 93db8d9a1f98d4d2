import { signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'farm theme'
const isTheme = (text: string | null): text is Theme => themes.some((each) => each === text)
const kept = localStorage.getItem(place)

export const theme = signal<Theme>(isTheme(kept) ? kept : 'system')

/** Shows the page in the chosen theme; `system` leaves it to the browser. */
export function applyTheme(chosen: Theme = theme.value): void {
  theme.value = chosen
  localStorage.setItem(place, chosen)
  document.documentElement.dataset.theme = chosen
}
