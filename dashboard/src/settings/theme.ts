import { kept, oneOf } from '../ui/kept.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const choice = kept<Theme>('theme', { first: 'system', read: oneOf(themes) })
export const theme = choice.now

/** Shows the page in the chosen theme; `system` leaves it to the browser. */
export function applyTheme(chosen: Theme = theme.value): void {
  choice.choose(chosen)
  document.documentElement.dataset.theme = chosen
}
