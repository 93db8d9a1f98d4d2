import { kept, oneOf } from '../ui/kept.ts'
import type { Zone } from '../words/format.ts'

/** Choices that a person has made in this browser. */

export const zones = ['local', 'UTC'] as const
export const densities = ['comfortable', 'compact'] as const
const switches = ['on', 'off'] as const

export const zone = kept<(typeof zones)[number]>('time zone', {
  ...{ first: 'local', read: oneOf(zones) },
})
export const density = kept<(typeof densities)[number]>('density', {
  ...{ first: 'comfortable', read: oneOf(densities) },
})
export const notices = kept<(typeof switches)[number]>('notices', {
  ...{ first: 'off', read: oneOf(switches) },
})
/** Keys of one letter disturb who speaks to the computer: they can be switched off. */
export const shortcuts = kept<(typeof switches)[number]>('shortcuts', {
  ...{ first: 'on', read: oneOf(switches) },
})

export const zoneNow = (): Zone => (zone.now.value === 'UTC' ? 'UTC' : undefined)

/** Height of a row of a long list, in rem. */
export const rowHeightNow = () => (density.now.value === 'compact' ? 2.5 : 3.5)

/** Shows every page as dense as chosen. */
export function applyDensity(): void {
  density.now.subscribe((chosen) => {
    document.documentElement.dataset.density = chosen
  })
}
