import type { Outline, OutlinedAudio, OutlinedVisual } from '../../../core/plan/outline.ts'

/** A bar of the timeline. Seconds are film time. */
export type Bar = {
  readonly kind: 'scene' | 'visual' | 'audio' | 'subtitle'
  /** Path of its element in the project. */
  readonly field: string
  readonly type: string
  readonly label: string
  readonly begin: number
  readonly end: number
  /** Ends of its animations; equal to begin and end where it has none. */
  readonly enterEnd: number
  readonly exitBegin: number
  readonly isInScene: boolean
  /** Its scene, or the film: its fields count from there. */
  readonly within: Span
}

type Span = { readonly begin: number; readonly end: number }

/** Lists the bars, scene by scene, each with its elements; the project's own elements come last. */
export function barsOf(outline: Outline): readonly Bar[] {
  const { scenes, visuals, audios, subtitle, seconds } = outline
  const film = { begin: 0, end: seconds }
  const inScenes = scenes.flatMap((scene, i) => [
    {
      ...{ kind: 'scene' as const, field: scene.field, type: 'SCENE', isInScene: false },
      label: scene.id || String(i + 1),
      ...{ ...still(scene.begin, scene.end), within: film },
    },
    ...elementsOf(scene, { within: scene, isInScene: true }),
  ])
  const captions = subtitle && {
    ...{ kind: 'subtitle' as const, field: 'subtitle', type: 'SUBTITLE', isInScene: false },
    label: subtitle.label,
    ...still(
      subtitle.lines?.[0]?.begin ?? 0,
      Math.min(seconds, subtitle.lines?.at(-1)?.end ?? seconds),
    ),
    within: film,
  }
  const own = elementsOf({ visuals, audios }, { within: film, isInScene: false })
  return [...inScenes, ...own, ...(captions ? [captions] : [])]
}

type Elements = {
  readonly visuals: readonly OutlinedVisual[]
  readonly audios: readonly OutlinedAudio[]
}

function elementsOf(
  { visuals, audios }: Elements,
  { within: { begin: from, end: to }, isInScene }: { within: Span; isInScene: boolean },
): Bar[] {
  const within = { begin: from, end: to }
  const seen = visuals.map(
    ({ field, type, label, begin, end, enterEnd, exitBegin }): Bar => ({
      ...{ kind: 'visual', field, type, label, begin, end, enterEnd, exitBegin, isInScene },
      within,
    }),
  )
  const heard = audios.map(
    ({ field, label, begin, end }): Bar => ({
      ...{ kind: 'audio', field, type: 'AUDIO', label, isInScene, ...still(begin, end), within },
    }),
  )
  return [...seen, ...heard]
}

function still(begin: number, end: number) {
  return { begin, end, enterEnd: begin, exitBegin: end }
}

/** Place of a bar on a line of `seconds`, in percent; a bar is never too thin to be seen. */
export function spanOf({ begin, end }: Pick<Bar, 'begin' | 'end'>, seconds: number) {
  const whole = Math.max(seconds, 1e-6)
  const left = (clamp(begin, seconds) / whole) * 100
  const width = ((clamp(end, seconds) - clamp(begin, seconds)) / whole) * 100
  const shown = Math.min(100, Math.max(leastPercent, width))
  return { left: Math.min(left, 100 - shown), width: shown }
}

const leastPercent = 0.8

/** Moment at which a bar is best seen: when it has come, before it goes. */
export function momentOf({ begin, end, enterEnd, exitBegin }: Bar): number {
  const from = Math.max(begin, Math.min(enterEnd, end))
  const to = Math.max(from, Math.min(exitBegin, end))
  return rounded((from + to) / 2)
}

/** Moment at a share of the line, within the film's last frame. */
export function momentAt(share: number, { seconds, frameRate }: Outline): number {
  return rounded(clamp(share * seconds, lastMoment({ seconds, frameRate })))
}

export function lastMoment({ seconds, frameRate }: Pick<Outline, 'seconds' | 'frameRate'>): number {
  return Math.max(0, rounded(seconds - 1 / Math.max(1, frameRate)))
}

/** Moment to show first: in the middle of the film much is to be seen. */
export function firstMoment(outline: Outline): number {
  return Math.min(lastMoment(outline), rounded(outline.seconds / 2))
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value))
const rounded = (seconds: number) => Math.round(seconds * 100) / 100
