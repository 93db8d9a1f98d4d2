import { defaultTransitionSeconds } from '../../project/schema/names.ts'
import type { FilledOf } from '../../project/schema/visuals.ts'
import { clipFit, clipLook } from '../picture/clip.ts'
import { clipOf, layoutPicture } from '../picture/layout.ts'
import { normalizePicture, pictureDefaults } from '../picture/normalize.ts'
import type { PictureBase } from '../picture/resolved.ts'
import type { VisualType } from '../visual-type.ts'
import { clipSeconds, factsOfVideo, linkedPlay, playOf } from './playback.ts'
import type { ResolvedVideo } from './resolved.ts'
import { VideoVisual } from './schema.ts'

export const video: VisualType<'VIDEO'> = {
  schema: VideoVisual,
  summary: 'A clip, with its sound; films only',
  example: {
    type: 'VIDEO',
    ...{ src: 'https://example.com/clip.mp4', videoBegin: 2, videoEnd: 6, volume: 0.5 },
  },
  checkRules: null,
  normalize: (visual, base) => ({
    ...base,
    ...normalizePicture(visual),
    ...normalizeClip(visual),
    type: 'VIDEO',
  }),
  withDefaults(shared, visual, given) {
    const { videoBegin, volume, speed, transition, transitionDuration } = visual
    const own = { videoBegin, volume, speed, transition, transitionDuration }
    return pictureDefaults({ ...own, ...shared }, visual, given)
  },
  media: ({ src, field }) => [{ url: src, field: `${field}.src`, expect: 'video' }],
  layout(visual, { canvas, facts }) {
    const play = (clip: Parameters<typeof playOf>[1]) => playOf(visual, clip)
    const shown = clipOf(visual, facts, { expect: 'video', play })
    return layoutPicture(visual, shown, { canvas, fit: clipFit })
  },
  // A linked transition may begin before the element's own end.
  opaqueFormat: ({ transition }) => (transition === null ? /\.(?:mp4|m4v)$/i : null),
  painted: null,
  clip: {
    fit: clipFit,
    facts: factsOfVideo,
    look(visual) {
      const { videoBegin, videoEnd, videoDuration, speed, frameRate } = visual
      const played = [videoBegin, videoEnd, videoDuration, speed, frameRate]
      return JSON.stringify([...clipLook(visual), ...played])
    },
  },
  recording: {
    hasGivenEnd: ({ videoEnd, videoDuration }) =>
      videoEnd !== undefined || videoDuration !== undefined,
    seconds: (visual, facts, element) =>
      clipSeconds(element ? linkedPlay(visual, element, facts) : visual, facts),
    sound: ({ src, videoBegin, volume, speed, hasAudio }) => ({
      medium: { expect: 'video', url: src },
      ...{ from: videoBegin, volume, speed },
      ...(hasAudio !== undefined && { hasAudio }),
    }),
  },
}

function normalizeClip(visual: FilledOf<'VIDEO'>): Omit<ResolvedVideo, keyof PictureBase | 'type'> {
  const { id, videoEnd, videoDuration, frameRate, hasAudio, transitionId } = visual
  return {
    ...(id !== undefined && { id }),
    videoBegin: visual.videoBegin ?? 0,
    ...(videoEnd !== undefined && { videoEnd }),
    ...(videoDuration !== undefined && { videoDuration }),
    speed: visual.speed ?? 1,
    ...(frameRate !== undefined && { frameRate }),
    volume: visual.volume ?? 1,
    ...(hasAudio !== undefined && { hasAudio }),
    transition: visual.transition ?? null,
    transitionDuration: visual.transitionDuration ?? defaultTransitionSeconds,
    ...(transitionId !== undefined && { transitionId }),
  }
}
