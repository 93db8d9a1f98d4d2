import type { BakeWarning } from '../../tasks.ts'

/** Something legal that is probably not meant. `field`: where it stands in the request as sent. */
export type Warning = {
  readonly field: string
  readonly code: WarningCode
  readonly message: string
}

/** The last ones are told when the media have been read and the element has been painted. */
type WarningCode =
  | 'position_ignored'
  | 'empty_animation'
  | 'never_visible'
  | 'animation_cut_short'
  | 'off_canvas'
  | 'texts_overlap'
  | 'low_contrast'
  | 'unknown_font'
  | 'link_ignored'
  | 'duplicate_id'
  | 'look_ignored'
  | 'stretched'
  | 'subtitle_file'
  | 'media_damaged'
  | BakeWarning['code']

/** More than this helps nobody. */
export const maxWarnings = 100

/** Words as a message shows them. */
export function quoted(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 39)}…` : line)
}
