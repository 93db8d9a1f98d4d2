import type { Caption } from '../captions/caption.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import type { Anchor } from '../visuals/visual-base.ts'

/**
 * A project with every placeholder filled in, conditions pruned, scenes iterated, presets and
 * overrides applied, defaults written out. `field` is an item's path in the customer's request
 * (`scenes[0].visuals[2]`), so that any later error can name it.
 *
 * Times are seconds. Values that depend on media (the length of a sound, the size of a picture) are
 * still open here; the timeline closes them.
 */
export type ResolvedProject = {
  readonly type: 'video' | 'image'
  readonly name: string
  readonly width: number
  readonly height: number
  /** 1 for a still. */
  readonly frameRate: number
  /** Duration that the customer gave; absent = from the content and the mode. */
  readonly duration?: number
  readonly durationMode: 'auto' | 'fixed' | 'legacy'
  readonly outputFormat: 'mp4' | 'mov' | 'avi' | 'webm' | 'png' | 'jpg' | 'jpeg' | 'webp'
  readonly backgroundColor: string
  /** Stills: the second of the virtual timeline to paint. */
  readonly snapshotTime: number
  /** Stills: 1..100. */
  readonly quality: number
  readonly transparent: boolean
  readonly thumbnail?: string
  readonly visuals: readonly ResolvedVisual[]
  readonly audios: readonly ResolvedAudio[]
  readonly scenes: readonly ResolvedScene[]
  readonly subtitle?: ResolvedSubtitle
}

/** Lengths are px of the canvas, colours #rrggbb. The older form is already converted. */
export type ResolvedSubtitle = {
  /** File of captions; then `captions` is empty. */
  readonly src?: string
  readonly captions: readonly Caption[]
  readonly maxWordsPerLine?: number
  readonly animation:
    | 'normal'
    | 'none'
    | 'one-word'
    | 'karaoke'
    | 'progressive'
    | 'highlight'
    | 'fill'
    | 'pop'
    | 'bounce'
    | 'fade'
    | 'slide'
    | 'typewriter'
  /** Direction of a slide's motion. */
  readonly direction: 'up' | 'down' | 'left' | 'right'
  readonly font: {
    readonly family: string
    readonly size: number
    readonly color: string
    readonly bold: boolean
    readonly italic: boolean
    readonly transform: 'none' | 'uppercase' | 'lowercase' | 'capitalize'
  }
  readonly stroke?: { readonly color: string; readonly width: number }
  readonly background?: {
    readonly color: string
    /** 0..1. */
    readonly opacity: number
    readonly padding: number
    readonly radius: number
  }
  /** Present when the animation shows the active word differently. */
  readonly activeWord?: {
    readonly color: string
    readonly background?: string
    readonly radius: number
  }
  readonly position: Anchor
  /** Distance from the edges that `position` names; in the middle it moves the text down. */
  readonly margin: { readonly x: number; readonly y: number }
}

export type ResolvedScene = {
  readonly field: string
  readonly id: string
  /** Absent = from content. */
  readonly duration?: number
  /**
   * Transition into the next scene; null = a hard cut (also when `transitionId` names any other scene).
   */
  readonly transition: string | null
  readonly transitionDuration: number
  readonly backgroundColor: string
  readonly visuals: readonly ResolvedVisual[]
  readonly audios: readonly ResolvedAudio[]
}

/** Times are relative to the scene around it, or to the project. */
export type ResolvedAudio = {
  readonly field: string
  readonly src: string
  readonly enter: number
  readonly exit?: number
  readonly matchDuration: boolean
  readonly volume: number
  readonly speed: number
  readonly audioBegin: number
  readonly audioEnd?: number
  readonly audioDuration?: number
  readonly track: number
}
