/** Parts that describe fields whose own schema has no name. */
export const partsOfFields: Readonly<Record<string, string>> = {
  ...{ variables: 'VARIABLES', condition: 'CONDITION', iterate: 'ITERATE', iterateAs: 'ITERATE' },
  ...{ transition: 'TRANSITION', transitionId: 'TRANSITION', transitionDuration: 'TRANSITION' },
}

const box = 'Needs no width and height: without them it has the size of the medium.'
const picture = [
  box,
  'Read POSITION for its place, ANIMATION for its times.',
  'A link must be public: http or https, port 80 or 443, without a user name.',
]

/** Rules of the elements that concern several fields. */
export const elementNotes: Readonly<Record<string, readonly string[]>> = {
  IMAGE: [
    ...picture,
    'With width and height it fills the box like cover, unless resize says else.',
  ],
  GIF: [...picture, 'It repeats while it is visible.'],
  VIDEO: [
    ...picture,
    'videoBegin and videoEnd cut the source; speed then changes its length.',
    'volume is 1 if absent; 0 mutes its sound.',
  ],
  TEXT: [
    'One of text and html must be given and not be empty; html wins.',
    'Without width the text is as wide as it needs; use width to wrap it.',
    'Read POSITION for its place, ANIMATION for its times, STYLE for fonts and colors.',
  ],
  SVG: [
    'No scripts, event handlers, foreignObject and links: what it shows must be inside the markup.',
    'Neither a size nor the viewBox may exceed 4096.',
    'Read POSITION for its place, ANIMATION for its times.',
  ],
  AUDIO: [
    'enter and exit are times of the scene or film; audioBegin and audioEnd cut the source.',
    'matchDuration follows the scene or film and overrides exit.',
  ],
  SUBTITLE: [
    'Exactly one of src (an SRT or VTT file) and captions must be given.',
    'styles, the older form, is never given together with the other looks.',
    'position is bottom if absent.',
  ],
  SCENE: [
    'Times of its elements count from its own start.',
    'duration -1 or absent: the length of its content. A stored template needs a number above 0.',
    'transition leads into the next scene; both overlap by transitionDuration.',
  ],
}
