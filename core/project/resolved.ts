import type { Caption } from '../captions/caption.ts'

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

export type Anchor =
  | 'top-left'
  | 'top-center'
  | 'top-right'
  | 'center-left'
  | 'center-center'
  | 'center-right'
  | 'bottom-left'
  | 'bottom-center'
  | 'bottom-right'

/** Properties of every visual. `exitBegin` and `exitEnd` absent = the end of the scene or project. */
export type VisualBase = {
  readonly field: string
  readonly x: number
  readonly y: number
  readonly width?: number
  readonly height?: number
  readonly position: Anchor | 'custom'
  /** Anchor in force: given, or the position's, or top-left. */
  readonly anchor: Anchor
  readonly resize?: 'contain' | 'cover'
  readonly enterBegin: number
  readonly enterEnd: number
  readonly exitBegin?: number
  readonly exitEnd?: number
  readonly opacity: number
  readonly angle: number
  readonly flipV: boolean
  readonly flipH: boolean
  readonly track: number
  readonly enterAnimation: string | null
  readonly exitAnimation: string | null
}

/** Properties that IMAGE, GIF and VIDEO share. */
export type PictureBase = VisualBase & {
  readonly src: string
  readonly crop?: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
  readonly chromaKey?: ResolvedChromaKey
  readonly filter?: ResolvedFilter
  readonly radius: {
    readonly tl: number
    readonly tr: number
    readonly br: number
    readonly bl: number
  }
  /** 1 = no zoom. */
  readonly zoomDepth: number
}

export type ResolvedImage = PictureBase & { readonly type: 'IMAGE' }

/** Loops over its window. */
export type ResolvedGif = PictureBase & { readonly type: 'GIF' }

/** `video...` are seconds of the source. */
export type ResolvedVideo = PictureBase & {
  readonly type: 'VIDEO'
  readonly id?: string
  readonly videoBegin: number
  /** Absent = the source's end. */
  readonly videoEnd?: number
  readonly videoDuration?: number
  readonly speed: number
  /** Most frames of the source a second; absent = all of them. */
  readonly frameRate?: number
  readonly volume: number
  /** Absent = decided by the source. */
  readonly hasAudio?: boolean
  /** Transition into the clip that `transitionId` names, or the next one; null = none. */
  readonly transition: string | null
  readonly transitionDuration: number
  readonly transitionId?: string
}

/** `color` #rrggbb; `similarity` and `blend` 0..100. */
export type ResolvedChromaKey = {
  readonly color: string
  readonly similarity: number
  readonly blend: number
}

/** The language's own units: brightness, contrast, saturate -100..100; hue in degrees; blur 0..100; invert 0..1; tint #rrggbb. */
export type ResolvedFilter = {
  readonly brightness: number
  readonly contrast: number
  readonly saturate: number
  readonly hue: number
  readonly blur: number
  readonly invert: number
  readonly tint: string
}

/** Code that moves an element for `duration` seconds; then the element is still. */
export type ResolvedCode = {
  readonly css: string
  readonly js: string
  readonly duration: number
}

export type ResolvedText = VisualBase & {
  readonly type: 'TEXT'
  /** Always markup: plain `text` arrives here escaped. */
  readonly html: string
  /** URLs of the pictures in it, each once; absent = none. */
  readonly pictures?: readonly string[]
  readonly style: Readonly<Record<string, string | number>>
  readonly code?: ResolvedCode
}

export type ResolvedSvg = VisualBase & {
  readonly type: 'SVG'
  readonly svg: string
  readonly code?: ResolvedCode
  readonly chromaKey?: ResolvedChromaKey
  readonly filter?: ResolvedFilter
}

export type ResolvedVisual =
  | ResolvedImage
  | ResolvedGif
  | ResolvedVideo
  | ResolvedText
  | ResolvedSvg

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
