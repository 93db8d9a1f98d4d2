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
  position_ignored: 'x and y beside a position other than custom',
  size_ignored: 'width or height that a resolution decides',
  text_ignored: 'text beside html',
  exit_ignored: 'exit of a sound that follows its scene or project',
  duration_ignored: 'a film that lasts longer than its duration says',
  link_ignored: 'a transition between clips or scenes that is not played',
  transition_cut_short: 'a transition longer than the scenes beside it',
  look_ignored: 'a look of captions that their animation has no use for',
  empty_animation: 'an animation without time to play',
  animation_cut_short: 'custom code that goes on when its element is gone',
  never_visible: 'an element that is never seen',
  nothing_visible: 'a film, still or scene in which no element is seen',
  off_canvas: 'an element outside of the canvas',
  texts_overlap: 'words over words',
  low_contrast: 'words that hardly differ from their ground',
  text_overflow: 'words higher than the box that they are given',
  tiny_text: 'words too small to be read',
  unknown_font: 'a font that the farm does not have',
  duplicate_id: 'two clips with one id',
  not_a_placeholder: 'braces that look like a placeholder and are painted as they stand',
  unused_variable: 'a variable that nothing in the project uses',
  undefined_condition: 'a condition that names no variable, but nearly one',
  unrenderable_defaults: 'a template that cannot be rendered with its own defaults alone',
  stretched: 'a clip or GIF whose box has another shape than its picture',
  subtitle_file: 'cues of a subtitle file that are left out or read another way',
  media_damaged: 'sound or film that is damaged, and of which a part is used',
  style_ignored: 'CSS that the browser did not take',
  missing_glyph: 'a character that no font has',
  picture_damaged: 'a picture that could not be read to its end',
  cut_off: 'an element larger than may be painted',
  url_registered_twice: 'a webhook whose url and events another one has, too',
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
