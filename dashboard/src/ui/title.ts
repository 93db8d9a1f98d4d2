import { withSeenMarks } from '../words/direction-marks.ts'

let title = 'Render farm'
let badge = 0

/** Title of the page, in the tab. */
export function setTitle(text: string): void {
  title = withSeenMarks(text)
  write()
}

/** Number before the title; 0: none. */
export function setBadge(count: number): void {
  badge = count
  write()
}

function write(): void {
  document.title = badge > 0 ? `(${badge}) ${title}` : title
}
