import type { Anchor } from '../visuals/visual-base.ts'
import { isRecord } from './check.ts'
import type { ResolvedSubtitle } from './resolved.ts'
import type { FilledSubtitle } from './schema/subtitle.ts'

type Canvas = { readonly width: number; readonly height: number }

/** Default margin, as a share of the canvas's edge. */
const defaultMargin = 0.05
const defaultStrokePx = 2
export const defaultActiveRadiusPx = 8
const defaultColors = { active: '#ffff00', activeBackground: '#7c3aed', font: '#ffffff' }

/** Animations that always restyle the active word, even without `activeWord`. */
const restyling = new Set(['karaoke', 'highlight', 'fill', 'pop', 'bounce'])
/** Animations that restyle it only with `activeWord`. */
const restylingWhenAsked = new Set(['one-word', 'progressive', 'fade', 'slide'])

/** Returns a subtitle with its defaults, from the present form or the older flat one. */
export function normalizeSubtitle(given: FilledSubtitle, canvas: Canvas): ResolvedSubtitle {
  const looks = given.styles ? presentForm(given.styles) : given
  const { font = {}, stroke, background, margin = {} } = looks
  const animation = (looks.animation ?? 'normal') as ResolvedSubtitle['animation']
  const position = anchorOf(looks.position ?? 'bottom')
  const isMiddle = position.startsWith('center')
  const activeWord = normalizeActiveWord(animation, looks.activeWord)
  return {
    ...(given.src !== undefined && { src: given.src }),
    captions: given.captions ?? [],
    ...(given.maxWordsPerLine !== undefined && { maxWordsPerLine: given.maxWordsPerLine }),
    animation,
    direction: (looks.direction ?? 'up') as ResolvedSubtitle['direction'],
    font: {
      family: font.family ?? 'Poppins',
      size: font.size ?? 50,
      color: longColor(font.color ?? defaultColors.font),
      bold: font.bold ?? false,
      italic: font.italic ?? false,
      transform: (font.transform ?? 'none') as ResolvedSubtitle['font']['transform'],
    },
    ...(stroke && {
      stroke: {
        color: longColor(stroke.color ?? '#000000'),
        width: stroke.width ?? defaultStrokePx,
      },
    }),
    ...(background && {
      background: {
        color: longColor(background.color ?? '#000000'),
        opacity: background.opacity ?? 1,
        padding: background.padding ?? 0,
        radius: background.radius ?? 0,
      },
    }),
    ...(activeWord && { activeWord }),
    position,
    margin: {
      x: margin.x ?? Math.round(canvas.width * defaultMargin),
      y: margin.y ?? (isMiddle ? 0 : Math.round(canvas.height * defaultMargin)),
    },
  }
}

type Looks = Omit<FilledSubtitle, 'src' | 'captions' | 'maxWordsPerLine' | 'styles'>

/** Converts the older flat form to the present one. */
function presentForm(styles: NonNullable<FilledSubtitle['styles']>): Looks {
  const { color, background, backgroundPadding, backgroundRadius, outline } = styles
  const { isBold, isItalic, fontSize, fontFamily, textTransform, activeWord } = styles
  const { mode, slideDirection, position, marginH, marginV } = styles
  return present({
    animation: mode,
    direction: slideDirection,
    font: present({
      ...{ color, bold: isBold, italic: isItalic, size: fontSize },
      ...{ family: fontFamily, transform: textTransform },
    }),
    stroke: outline,
    background:
      background === undefined
        ? undefined
        : present({ color: background, padding: backgroundPadding, radius: backgroundRadius }),
    activeWord,
    position,
    margin: present({ x: marginH, y: marginV }),
  })
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Drops undefined properties. */
function present<T extends object>(item: T): Present<T> {
  const entries = Object.entries(item).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<T>
}

function normalizeActiveWord(
  animation: ResolvedSubtitle['animation'],
  given: FilledSubtitle['activeWord'],
): ResolvedSubtitle['activeWord'] {
  const asked = given !== undefined && restylingWhenAsked.has(animation)
  if (!asked && !restyling.has(animation)) return undefined
  const { color, radius = defaultActiveRadiusPx } = given ?? {}
  const isHighlight = animation === 'highlight'
  const background = given?.background ?? (isHighlight ? defaultColors.activeBackground : undefined)
  return {
    color: longColor(color ?? (background === undefined ? defaultColors.active : '#ffffff')),
    ...(background !== undefined && { background: longColor(background) }),
    radius,
  }
}

function anchorOf(position: string): Anchor {
  switch (position) {
    case 'top':
    case 'center':
    case 'bottom':
      return `${position}-center`
    default:
      // The schema has checked that it is one of the grid.
      return position as Anchor
  }
}

/** Expands `#abc` → `#aabbcc`, in lower case. */
export function longColor(color: string): string {
  const digits = color.slice(1).toLowerCase()
  return digits.length === 6 ? `#${digits}` : `#${[...digits].map((d) => d + d).join('')}`
}

/** Writes out the defaults of a subtitle in the form that it was given in. */
export function subtitleDefaults(
  given: unknown,
  {
    animation,
    direction,
    font,
    stroke,
    background,
    activeWord,
    position,
    margin,
  }: ResolvedSubtitle,
): Readonly<Record<string, unknown>> {
  const subtitle = isRecord(given) ? given : {}
  const under = (key: string, defaults: object | undefined) =>
    defaults && isRecord(subtitle[key]) ? { [key]: { ...defaults, ...subtitle[key] } } : {}
  if (!isRecord(subtitle.styles)) {
    return {
      ...{ animation, direction, position, font, margin },
      ...(activeWord && { activeWord }),
      ...subtitle,
      ...under('font', font),
      ...under('margin', margin),
      ...under('stroke', stroke),
      ...under('background', background),
      ...under('activeWord', activeWord),
    }
  }
  const { styles } = subtitle
  const flat = {
    ...{ color: font.color, isBold: font.bold, isItalic: font.italic, fontSize: font.size },
    ...{ fontFamily: font.family, textTransform: font.transform, mode: animation },
    ...{ slideDirection: direction, position, marginH: margin.x, marginV: margin.y },
    ...(background && {
      backgroundPadding: background.padding,
      backgroundRadius: background.radius,
    }),
  }
  const outline = stroke && { ...stroke, ...(isRecord(styles.outline) && styles.outline) }
  const active = activeWord && {
    activeWord: { ...activeWord, ...(isRecord(styles.activeWord) && styles.activeWord) },
  }
  return { ...subtitle, styles: { ...flat, ...styles, ...(outline && { outline }), ...active } }
}
