import { sharedFields } from '../visuals/fields.ts'
import { nestedIn } from './element-fields.ts'
import { animation, resolution } from './schema/fields.ts'
import { defaultTransitionSeconds, presets } from './schema/names.ts'
import {
  ChromaKey,
  CropParams,
  CustomCode,
  Designer,
  designerMaxLength,
  Filter,
  Radius,
  Style,
  Zoom,
} from './schema/parts.ts'
import { AudioItem, ImageProject, Scene, VideoProject } from './schema/project.ts'
import { RenderOverrides, RenderRequest } from './schema/request.ts'
import { Subtitle } from './schema/subtitle.ts'

/** A part as it is written here; its fields and their rules come from the schemas. */
export type LanguagePart = {
  readonly type: string
  readonly summary: string
  readonly place: string
  /** Schemas that it describes; the first gives the fields, unless `fields` does. */
  readonly schemas: readonly object[]
  readonly fields?: Readonly<Record<string, object>>
  readonly notes: readonly string[]
  readonly example: Readonly<Record<string, unknown>>
}

const picked = (from: Readonly<Record<string, object>>, ...names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (from[name] ? [[name, from[name]]] : [])))

/** Schema of the object that a field of the subtitle holds, or of its items. */
function inSubtitle(name: keyof typeof Subtitle.properties): object {
  const found = nestedIn(Subtitle.properties[name]).find((schema) => 'properties' in schema)
  if (!found) throw new Error(`The subtitle's ${name} must hold an object. It holds none`)
  return found
}

const looks = ['stroke', 'background', 'activeWord', 'margin'] as const
const sizes = Object.entries(presets).map(([name, [width, height]]) => `${name} ${width}x${height}`)
const src = 'https://example.com/photo.jpg'
const photo = { type: 'IMAGE', src, width: 640, height: 360 }
const words = { type: 'TEXT', text: 'Hello', position: 'center-center' }

export const languageParts: readonly LanguagePart[] = [
  {
    type: 'REQUEST',
    summary:
      'The whole that is checked, quoted and rendered: a project or template, and changes to it',
    place: 'the body of a request',
    schemas: [RenderRequest],
    notes: [
      'Exactly one of payload and template must be given.',
      'variables replace defaults of the project; overrides apply after them.',
    ],
    example: {
      payload: { duration: 2, visuals: [{ type: 'TEXT', text: 'Hello, {{ name }}' }] },
      variables: { name: 'Ada' },
      overrides: { width: 1080, height: 1080 },
    },
  },
  {
    type: 'PROJECT',
    summary: 'A film: its canvas, length and format, and all that is in it',
    place: 'payload of a request; a draft and a template hold one',
    schemas: [VideoProject],
    notes: [
      'Absent: 1280x720, 30 frames a second, 10 s, mp4, a white background.',
      'scenes follow each other; visuals and audios of the project lie over the whole film.',
      'durationMode auto takes the length from the content, and duration as the least.',
      'thumbnail is a link to a picture; absent: the farm makes one.',
    ],
    example: {
      ...{ name: 'hello', resolution: 'full-hd', frameRate: 30, backgroundColor: '#101828' },
      scenes: [
        { duration: 3, transition: 'fade', visuals: [words] },
        { duration: 2, visuals: [words] },
      ],
    },
  },
  {
    type: 'STILL',
    summary: 'A picture instead of a film',
    place: 'payload of a request, with type "image"',
    schemas: [ImageProject],
    notes: [
      'type must be "image". Nothing of films: no duration, frameRate, scenes, audios, subtitle.',
      'quality is for jpg and webp, transparent for png and webp.',
      'snapshotTime is the second at which the elements are shown.',
    ],
    example: {
      ...{ type: 'image', width: 1200, height: 630, outputFormat: 'webp', quality: 90 },
      ...{ transparent: true, visuals: [words] },
    },
  },
  {
    type: 'OVERRIDES',
    summary: 'Settings of the output that replace those of a project or template',
    place: 'overrides of a request',
    schemas: [RenderOverrides],
    notes: [
      'Values only: no {{ name }}.',
      'width or height make the resolution custom, unless resolution is given too.',
      'snapshotTime, quality and transparent are for stills, frameRate is for films.',
    ],
    example: {
      payload: { duration: 2, visuals: [words] },
      overrides: { frameRate: 25, outputFormat: 'webm' },
    },
  },
  {
    type: 'VARIABLES',
    summary: 'Values for {{ name }} in texts and in almost every field',
    place: 'variables of a request, a project or a scene',
    schemas: [],
    fields: picked(RenderRequest.properties, 'variables'),
    notes: [
      'A field that is just "{{ name }}" takes the value with its type: number, list, object.',
      'Within a longer text the value becomes text. {{ person.name }} and {{ list.0 }} reach inside.',
      'The request replaces values of the project; those of a scene apply inside it.',
      'A name without a value is an error, except in condition.',
    ],
    example: {
      payload: {
        ...{ duration: 2, variables: { title: 'Hello', size: 400 } },
        visuals: [{ type: 'TEXT', text: '{{ title }}', width: '{{ size }}' }],
      },
      variables: { title: 'Good morning' },
    },
  },
  {
    type: 'CONDITION',
    summary: 'Leaves an element or a scene out',
    place: 'condition of visuals, audios and scenes',
    schemas: [],
    fields: picked(AudioItem.properties, 'condition'),
    notes: [
      'Left out when it is false, 0, "", null or a {{ name }} without a value.',
      'A flag or one {{ name }}; no comparison and no expression.',
    ],
    example: {
      ...{ duration: 2, variables: { hasBadge: true } },
      visuals: [words, { ...photo, condition: '{{ hasBadge }}' }],
    },
  },
  {
    type: 'ITERATE',
    summary: 'Repeats a scene for each item of a list',
    place: 'a scene',
    schemas: [],
    fields: picked(Scene.properties, 'iterate', 'iterateAs'),
    notes: [
      'iterate is the path of a list in the variables, without braces.',
      'Inside, the item has the name in iterateAs (absent: item), and index counts from 0.',
    ],
    example: {
      variables: { offers: [{ name: 'Tea' }, { name: 'Bread' }] },
      scenes: [
        {
          ...{ duration: 2, iterate: 'offers', iterateAs: 'offer' },
          visuals: [{ type: 'TEXT', text: '{{ offer.name }}' }],
        },
      ],
    },
  },
  {
    type: 'RESOLUTION',
    summary: 'Size of the canvas, by name or in px',
    place: 'resolution, width and height of a project',
    schemas: [...nestedIn(resolution)],
    fields: picked(VideoProject.properties, 'resolution', 'width', 'height'),
    notes: [`A name replaces width and height, except custom: ${sizes.join(', ')}.`],
    example: { resolution: 'instagram-reel', duration: 2, visuals: [words] },
  },
  {
    type: 'POSITION',
    summary: 'Place, size and turn of a visual, and what it covers',
    place: 'any visual',
    schemas: nestedIn(sharedFields.position),
    fields: picked(
      sharedFields,
      ...['position', 'anchor', 'x', 'y', 'width', 'height', 'resize', 'angle'],
      ...['flipH', 'flipV', 'opacity', 'track'],
    ),
    notes: [
      'position puts the element flush with the edge; x and y then count for nothing.',
      'x and y (px from the upper left corner) need position custom, which is the default.',
      'anchor is the point of the element that sits there; absent: that of position, or top-left.',
      'A higher track covers lower ones; on one track the later visual covers.',
    ],
    example: { ...photo, x: 640, y: 360, anchor: 'center-center', angle: -6, track: 2 },
  },
  {
    type: 'ANIMATION',
    summary: 'Times of a visual, and how it comes and goes',
    place: 'any visual of a film',
    schemas: nestedIn(animation).filter((schema) => '$id' in schema),
    fields: picked(
      sharedFields,
      ...['enterBegin', 'enterEnd', 'exitBegin', 'exitEnd', 'enterAnimation', 'exitAnimation'],
    ),
    notes: [
      'Seconds of the scene or film: it comes from enterBegin to enterEnd, goes from exitBegin to exitEnd.',
      'Absent: there from 0 to the end. An animation needs a time: enterEnd above enterBegin.',
      'enterEnd must be >= enterBegin, exitEnd >= exitBegin.',
    ],
    example: {
      ...{ ...words, enterBegin: 0, enterEnd: 0.5, enterAnimation: 'slideup' },
      ...{ exitBegin: 1.5, exitEnd: 2, exitAnimation: 'fade' },
    },
  },
  {
    type: 'TRANSITION',
    summary: 'Change from a scene to the next, or from a clip to another',
    place: 'a scene; a VIDEO',
    schemas: [],
    fields: picked(Scene.properties, 'transition', 'transitionId', 'transitionDuration'),
    notes: [
      `transitionDuration is ${defaultTransitionSeconds} s if absent; both overlap by it, and the film is as much shorter.`,
      'A scene leads into the next one, or the one whose id is transitionId if it is the next.',
      'A VIDEO leads into the clip whose id is its transitionId.',
    ],
    example: {
      scenes: [
        { duration: 2, transition: 'wipeleft', transitionDuration: 1, visuals: [words] },
        { duration: 2, visuals: [words] },
      ],
    },
  },
  {
    type: 'FILTER',
    summary: 'Changes the colors of a picture, or blurs it',
    place: 'filter of IMAGE, GIF, VIDEO and SVG',
    schemas: [Filter],
    notes: [
      '0 changes nothing. blur is a percentage of half the shorter side, without a unit.',
      'Applied in this order: brightness, contrast, saturate, hue-rotate, blur, invert, colorTint.',
    ],
    example: {
      ...photo,
      filter: { brightness: 10, saturate: -40, 'hue-rotate': '20deg', blur: 2 },
    },
  },
  {
    type: 'CROP_PARAMS',
    summary: 'Cuts a part out of a picture before it is scaled',
    place: 'cropParams of IMAGE, GIF and VIDEO',
    schemas: [CropParams],
    notes: ['Pixels of the source, not of the canvas. All four are needed.'],
    example: { ...photo, cropParams: { x: 100, y: 0, width: 800, height: 450 } },
  },
  {
    type: 'CHROMA_KEY',
    summary: 'Makes one color transparent, as for a green screen',
    place: 'chromaKey of IMAGE, GIF, VIDEO and SVG',
    schemas: [ChromaKey],
    notes: ['similarity and blend are percent; absent: 50 and 0.'],
    example: { ...photo, chromaKey: { color: '#00ff00', similarity: 30, blend: 5 } },
  },
  {
    type: 'ZOOM',
    summary: 'Enlarges a picture slowly while it is visible',
    place: 'zoom of IMAGE, GIF and VIDEO',
    schemas: nestedIn(Zoom).filter((schema) => 'properties' in schema),
    notes: ['true is a depth of 1.2. depth is reached when the element is gone.'],
    example: { ...photo, zoom: { depth: 1.4 } },
  },
  {
    type: 'RADIUS',
    summary: 'Rounds the corners of a picture',
    place: 'radius of IMAGE, GIF and VIDEO',
    schemas: [Radius],
    notes: ['px; tl is the upper left corner, br the lower right one.'],
    example: { ...photo, radius: { tl: 24, tr: 24, bl: 24, br: 24 } },
  },
  {
    type: 'STYLE',
    summary: 'CSS of a text',
    place: 'style of TEXT',
    schemas: [Style],
    notes: [
      'At most 120 properties, in camelCase, kebab-case or as --custom; a text of 4,000 characters or a number each.',
      'Refused: url(), @import, image-set(), expression(), comments.',
      'Absent: Poppins, 42px. Fonts of the farm are named by fontFamily alone, such as Inter, Sora or Lora.',
    ],
    example: {
      ...words,
      style: {
        fontFamily: 'Sora',
        fontSize: '72px',
        fontWeight: 700,
        color: '#ffffff',
        textAlign: 'center',
      },
    },
  },
  {
    type: 'CUSTOM_CODE',
    summary: 'CSS and JavaScript that move what is inside a text or drawing',
    place: 'customCode of TEXT and SVG',
    schemas: [CustomCode],
    notes: [
      'css and js have at most 200,000 characters. js has no network, storage, files and navigation.',
      'animationDuration: seconds for which it moves.',
    ],
    example: {
      ...{ type: 'TEXT', html: '<b>Hello</b>' },
      customCode: {
        css: '@keyframes turn { to { transform: rotate(8deg) } } b { animation: turn 1s }',
        animationDuration: 1,
      },
    },
  },
  {
    type: 'DESIGNER',
    summary: 'Notes of a design editor, never rendered',
    place: 'designer of TEXT and SVG',
    schemas: [Designer],
    notes: [`Any object of at most ${designerMaxLength} characters of JSON. Leave it as it is.`],
    example: { ...words, designer: { layer: 'heading' } },
  },
  {
    type: 'CAPTIONS',
    summary: 'Texts of a subtitle with their times',
    place: 'captions of SUBTITLE',
    schemas: [inSubtitle('captions')],
    notes: [
      'end must be > start. words, if given, time each word; absent: spread over the caption.',
    ],
    example: {
      captions: [
        {
          ...{ start: 0, end: 2, text: 'Hello there' },
          words: [
            { start: 0, end: 0.8, text: 'Hello' },
            { start: 0.8, end: 2, text: 'there' },
          ],
        },
      ],
    },
  },
  {
    type: 'FONT',
    summary: 'Letters of a subtitle',
    place: 'font of SUBTITLE',
    schemas: [inSubtitle('font')],
    notes: ['size is the height of a row in px, 50 if absent; color is #FFFFFF if absent.'],
    example: {
      captions: [{ start: 0, end: 2, text: 'Hello there' }],
      font: { family: 'Inter', size: 64, color: '#ffffff', bold: true, transform: 'uppercase' },
    },
  },
  {
    type: 'CAPTION_LOOK',
    summary: 'Outline, background, spoken word and margin of a subtitle',
    place: 'stroke, background, activeWord and margin of SUBTITLE',
    schemas: looks.map(inSubtitle),
    fields: picked(Subtitle.properties, ...looks),
    notes: ['activeWord is for the animations that mark a word, such as karaoke and highlight.'],
    example: {
      ...{ captions: [{ start: 0, end: 2, text: 'Hello there' }], animation: 'highlight' },
      ...{ stroke: { color: '#000000', width: 4 }, margin: { y: 60 } },
      background: { color: '#101828', opacity: 0.6, padding: 12, radius: 8 },
      activeWord: { color: '#ffd166' },
    },
  },
  {
    type: 'STYLES',
    summary: 'Older, flat form of the looks of a subtitle; FONT and CAPTION_LOOK are the new one',
    place: 'styles of SUBTITLE',
    schemas: [inSubtitle('styles')],
    notes: ['Never together with animation, font, stroke, background, position and the like.'],
    example: {
      captions: [{ start: 0, end: 2, text: 'Hello there' }],
      styles: {
        fontFamily: 'Inter',
        fontSize: 64,
        color: '#ffffff',
        isBold: true,
        mode: 'karaoke',
      },
    },
  },
]
