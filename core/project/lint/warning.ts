import type { BakeWarning } from '../../queue/tasks.ts'

/** A legal but probably unintended part of a request. `field`: its path in the request as sent. */
export type Warning = {
  readonly field: string
  /** RFC 6901 pointer into the body as it was sent; absent where `field` is enough. */
  readonly pointer?: string
  readonly code: WarningCode
  readonly message: string
}

/**
 * Warning codes with their meanings. The API's document reads them; docs/errors.md explains each,
 * and a test compares them.
 */
export const warningCodes = {
  position_ignored: 'x and y have no effect, because position is not custom',
  size_ignored: 'width or height has no effect, because the resolution sets it',
  text_ignored: 'text has no effect, because html is given',
  exit_ignored: 'exit has no effect, because the sound ends with its scene or project',
  duration_ignored: 'the film lasts longer than its duration',
  link_ignored: 'a transition between clips or scenes is not played',
  transition_cut_short: 'a transition is longer than the scenes beside it',
  look_ignored: 'a caption style has no effect with this animation',
  empty_animation: 'an animation has no time to play',
  animation_cut_short: 'custom code runs longer than its element is visible',
  never_visible: 'an element or caption is never visible',
  never_heard: 'a sound has no time to play',
  empty_cut: 'a clip is cut down to one frame',
  nothing_visible: 'no element of a film, still or scene is visible',
  off_canvas: 'an element lies outside the canvas',
  texts_overlap: 'a text covers another text',
  low_contrast: 'a text hardly contrasts with its background',
  text_overflow: 'a text is higher than its box',
  tiny_text: 'a text is too small to read',
  unknown_font: 'the farm does not have a font',
  duplicate_id: 'two clips have the same id',
  not_a_placeholder: 'braces look like a placeholder but are painted unchanged',
  unused_variable: 'the project does not use a variable',
  undefined_condition: 'a condition names an undefined variable, similar to a defined one',
  unrenderable_defaults: 'a template cannot be rendered with its default variables alone',
  stretched: 'a clip or GIF is stretched to another aspect ratio',
  subtitle_file: 'cues of a subtitle file are left out or read differently',
  media_damaged: 'a sound or film is damaged and is used only in part',
  style_ignored: 'the browser rejected CSS',
  missing_glyph: 'no font has a glyph for a character',
  picture_damaged: 'a picture could not be decoded completely',
  cut_off: 'an element exceeds the largest size that is painted',
  url_registered_twice: 'another webhook has the same url and shares events',
} as const satisfies Record<BakeWarning['code'], string> & Record<string, string>

type WarningCode = keyof typeof warningCodes

/** Most warnings; more help nobody. */
export const maxWarnings = 100

/** Removes repeated warnings, such as those of a scene's clones. */
export function eachOnce(all: readonly Warning[]): Warning[] {
  const once = new Map(all.map((warning) => [JSON.stringify(warning), warning]))
  return [...once.values()].slice(0, maxWarnings)
}

/** Quotes words for a message. */
export function quoted(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 39)}…` : line)
}
