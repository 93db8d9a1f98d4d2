/** Example that the demo film is. */
export const demo = 'launch'

const place = 'farm demo job'

/** Keeps the demo's latest job in this browser: its page shows the ways on, in any tab and after a reload. */
export const keepDemoJob = (id: string) => localStorage.setItem(place, id)
export const isDemoJob = (id: string) => localStorage.getItem(place) === id
