import { type PlanName, plans } from '../accounts/plans.ts'
import { linesOf } from '../captions/documents.ts'
import { priceAtSubmission } from '../jobs/pricing.ts'
import type { Warning } from '../project/lint/warning.ts'
import type { Resolution } from '../project/resolve.ts'
import type {
  ResolvedAudio,
  ResolvedProject,
  ResolvedScene,
  ResolvedSubtitle,
} from '../project/resolved.ts'
import type { BakeDocument, BakeFacts, IngestSpec, MediaFacts } from '../queue/tasks.ts'
import { animationTimes } from '../timeline/animation-times.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { playedSeconds } from '../timeline/length.ts'
import { makeTimeline } from '../timeline/timeline.ts'
import type { TimedElement, Timeline } from '../timeline/types.ts'
import { bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { filmFormats, isFilmFormat } from './formats.ts'
import { frameKindOf, type KindRange } from './frame-kinds.ts'
import { bakeNeeds, mediaNeeds } from './needs.ts'
import { isRepeating, runsOf } from './runs.ts'
import { cutSegments } from './segments.ts'

/**
 * A resolved project on its clock, as far as it is known without its media. Seconds are film time.
 * `exact` is false while the film's length depends on a file that has not been probed.
 */
export type Outline = {
  readonly name: string
  readonly type: 'video' | 'image'
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly outputFormat: string
  readonly seconds: number
  readonly frames: number
  readonly exact: boolean
  readonly credits: number
  readonly plan: PlanName
  readonly scenes: readonly OutlinedScene[]
  /** The project's own visuals, which lie over all scenes. */
  readonly visuals: readonly OutlinedVisual[]
  readonly audios: readonly OutlinedAudio[]
  readonly subtitle: OutlinedSubtitle | null
  readonly segments: readonly {
    readonly begin: number
    readonly end: number
    readonly frames: number
  }[]
  readonly warnings: readonly Warning[]
}

export type OutlinedScene = {
  readonly field: string
  readonly id: string
  readonly begin: number
  readonly end: number
  readonly transition: { readonly name: string; readonly seconds: number } | null
  readonly visuals: readonly OutlinedVisual[]
  readonly audios: readonly OutlinedAudio[]
}

/** Ordered by painting, bottom first. */
export type OutlinedVisual = {
  readonly field: string
  readonly type: string
  /** Its words or its source. */
  readonly label: string
  readonly track: number
  readonly begin: number
  readonly enterEnd: number
  readonly exitBegin: number
  readonly end: number
  readonly enter: string | null
  readonly exit: string | null
  /** Seconds of its custom code's movement; null = it stands still. */
  readonly codeSeconds: number | null
}

export type OutlinedAudio = {
  readonly field: string
  readonly label: string
  readonly begin: number
  readonly end: number
  /**
   * False where only its file decides its length, or whether a clip has sound: then `end` is that
   * of its element, its scene or the film.
   */
  readonly exact: boolean
}

export type OutlinedSubtitle = {
  readonly field: string
  /** Its file, or its first words. */
  readonly label: string
  readonly animation: string
  /** Captions shown at a time; null while its file has not been read. */
  readonly lines: readonly { readonly begin: number; readonly end: number }[] | null
}

export function outlineOf(
  { project, warnings }: Resolution,
  { plan, pathOf }: { plan: PlanName; pathOf: (url: string) => string },
): Outline {
  const timeline = timelineOf(project, pathOf)
  const { name, type, width, height, frameRate, outputFormat } = project
  const seconds = timeline.frames / frameRate
  const film = { begin: 0, end: seconds }
  const { creditsMost: credits, exact } = priceAtSubmission(project, plans[plan])
  const soundsOf = (container: Pick<ResolvedScene, 'visuals' | 'audios'>, within: Span) => [
    ...container.audios.map((audio) => outlinedAudio(audio, within, pathOf)),
    ...container.visuals.flatMap((visual) => soundOfClip(visual, within, pathOf)),
  ]
  const visualsOf = (visuals: readonly ResolvedVisual[], elements: readonly TimedElement[]) =>
    elements.map((element, i) => outlinedVisual(ordered(visuals)[i], element, pathOf))
  const { video } = filmFormats[isFilmFormat(outputFormat) ? outputFormat : 'mp4']
  const isRepeated = video.some((encoder) => isRepeating({ encoder }))
  const segments = type === 'image' ? [] : cutSegments(timeline, rangesOf(timeline), { isRepeated })
  return {
    ...{ name, type, width, height, frameRate, outputFormat, seconds, exact, credits, plan },
    frames: timeline.frames,
    scenes: timeline.scenes.map((scene, i) => {
      const { field = '', id = '', visuals = [], audios = [] } = project.scenes[i] ?? {}
      return {
        ...{ field, id, begin: scene.begin, end: scene.end, transition: scene.transition },
        visuals: visualsOf(visuals, scene.elements),
        audios: soundsOf({ visuals, audios }, scene),
      }
    }),
    visuals: visualsOf(project.visuals, timeline.elements),
    audios: soundsOf(project, { ...film, elements: timeline.elements }),
    subtitle: project.subtitle ? outlinedSubtitle(project.subtitle, project, pathOf) : null,
    segments: segments.map(({ start, frames }) => ({
      begin: start / frameRate,
      end: (start + frames) / frameRate,
      frames,
    })),
    warnings,
  }
}

/**
 * Makes the timeline of a project whose media and texts have not been read. Their sizes are made
 * up, and paths stand for their digests.
 */
export function timelineOf(project: ResolvedProject, pathOf: (url: string) => string): Timeline {
  return makeTimeline(project, standIns(project, pathOf))
}

/** Ranges of equal frames. */
function rangesOf(timeline: Timeline): KindRange[] {
  const runs = runsOf(timeline, { start: 0, frames: timeline.frames })
  return Array.from(runs, ({ start, frames, commands }) => {
    return { start, frames, kind: frameKindOf(commands, timeline) }
  })
}

/** Orders visuals as the timeline does. */
function ordered(visuals: readonly ResolvedVisual[]): ResolvedVisual[] {
  return visuals.toSorted((a, b) => a.track - b.track)
}

function outlinedVisual(
  visual: ResolvedVisual | undefined,
  { field, begin, enterEnd, exitBegin, end, enter, exit }: TimedElement,
  pathOf: (url: string) => string,
): OutlinedVisual {
  return {
    ...{ field, type: visual?.type ?? '', label: visual ? labelOf(visual, pathOf) : '' },
    ...{ track: visual?.track ?? 0, begin, enterEnd, exitBegin, end, enter, exit },
    codeSeconds: visual && 'code' in visual ? visual.code.duration : null,
  }
}

function labelOf(visual: ResolvedVisual, pathOf: (url: string) => string): string {
  const { painted, media } = visualTypeOf(visual)
  if (painted) return wordsOf(painted.markup(visual).markup)
  return media(visual)
    .map(({ url }) => pathOf(url))
    .join(' ')
}

const longestLabel = 200

/** Extracts the readable text of markup. */
function wordsOf(markup: string): string {
  const text = markup
    .replace(/<style[\s>][\s\S]*?<\/style>/gi, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  return text.replace(/\s+/g, ' ').trim().slice(0, longestLabel)
}

function outlinedAudio(
  audio: ResolvedAudio,
  within: { readonly begin: number; readonly end: number },
  pathOf: (url: string) => string,
): OutlinedAudio {
  const { field, src, matchDuration, exit, enter } = audio
  const begin = within.begin + enter
  const played = playedSeconds(audio, unprobed)
  const asked = matchDuration ? within.end : exit === undefined ? undefined : within.begin + exit
  const until = asked ?? (played > 0 ? begin + played : within.end)
  const exact = asked !== undefined || played > 0
  return { field, label: pathOf(src), begin, end: Math.min(within.end, until), exact }
}

type Span = {
  readonly begin: number
  readonly end: number
  readonly elements: readonly TimedElement[]
}

/** Lists the sound of a clip that is not known to be silent. */
function soundOfClip(
  visual: ResolvedVisual,
  { elements, ...within }: Span,
  pathOf: (url: string) => string,
): OutlinedAudio[] {
  const { recording } = visualTypeOf(visual)
  if (!recording) return []
  const { field } = visual
  const { medium, volume, hasAudio } = recording.sound(visual)
  const element = elements.find((each) => each.field === field)
  if (!element || volume === 0 || hasAudio === false) return []
  const played = recording.seconds(visual, unprobed)
  const { begin } = element
  const end = Math.min(within.end, element.end, played > 0 ? begin + played : element.end)
  const exact = hasAudio === true && played > 0
  return [{ field, label: pathOf(medium.url), begin, end, exact }]
}

function outlinedSubtitle(
  subtitle: ResolvedSubtitle,
  project: ResolvedProject,
  pathOf: (url: string) => string,
): OutlinedSubtitle {
  const { src, captions, animation } = subtitle
  const lines = linesOf(subtitle, project, unprobed.media).map(({ begin, end }) => ({ begin, end }))
  return src === undefined
    ? { field: 'subtitle.captions', label: captions[0]?.text ?? '', animation, lines }
    : { field: 'subtitle.src', label: pathOf(src), animation, lines: null }
}

const unprobed: Facts = { media: new Map(), bakes: new Map() }

/**
 * Substitutes facts for media and texts that have not been read: times do not depend on their
 * sizes, though a cut beside a clip may. Sounds have none, so that no length is invented. A clip must have one, and `exact` marks
 * it as a guess.
 */
function standIns(project: ResolvedProject, pathOf: (url: string) => string): Facts {
  const ink = { inkX: 0, inkY: 0, inkWidth: 1, inkHeight: 1 }
  const bakeOf = ({ code, field: digest }: BakeDocument): BakeFacts => {
    const still = { digest, bytes: 0, width: 1, height: 1, ...ink, warnings: [] }
    if (!code) return still
    const pictures = [{ offset: 0, bytes: 0, ...ink }]
    const order = animationTimes(code).map(() => 0)
    return { ...still, moments: { frameRate: code.frameRate, pictures, order } }
  }
  const pictures = mediaNeeds(project).flatMap(({ url, expect }) => {
    const facts = standIn(expect, project)
    return facts ? [[mediaKey({ expect, url }), { digest: pathOf(url), facts }] as const] : []
  })
  const media = new Map(pictures)
  const documents = bakeNeeds(project, media)
  return {
    media,
    bakes: new Map(documents.map((document) => [bakeKeyText(document), bakeOf(document)])),
  }
}

/** Length of a clip beyond the point at which it begins to play. */
const guessedClipSeconds = 10

function standIn(
  expect: IngestSpec['expect'],
  { visuals, scenes }: ResolvedProject,
): MediaFacts | undefined {
  // The largest size of a picture, so that every crop lies within it.
  const size = { format: '', width: 65_536, height: 65_536, hasAlpha: false } as const
  switch (expect) {
    case 'image':
      return { kind: expect, ...size }
    case 'gif':
    case 'video': {
      const rate = 30
      const begins = [visuals, ...scenes.map((scene) => scene.visuals)].flatMap((list) =>
        list.map((visual) => visualTypeOf(visual).recording?.sound(visual).from ?? 0),
      )
      const frames = Math.ceil((guessedClipSeconds + Math.max(0, ...begins)) * rate)
      return { kind: expect, ...size, frameRate: [rate, 1], frames, hasAudio: false }
    }
    case 'audio':
    case 'subtitle':
      return undefined
    default:
      return expect satisfies never
  }
}
