import type { PictureBase } from '../picture/resolved.ts'

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
