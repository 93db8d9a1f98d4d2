import { bakeNeeds } from '../../core/plan/needs.ts'
import type { ResolvedAudio, ResolvedProject, ResolvedScene } from '../../core/project/resolved.ts'
import type { BakeFacts, MediaFacts } from '../../core/queue/tasks.ts'
import { type Facts, mediaKey } from '../../core/timeline/facts.ts'
import type { Size } from '../../core/timeline/rect.ts'
import type { ResolvedGif } from '../../core/visuals/gif/resolved.ts'
import type { ResolvedImage } from '../../core/visuals/image/resolved.ts'
import { bakeKeyText } from '../../core/visuals/painted/bake-document.ts'
import type { ResolvedText } from '../../core/visuals/text/resolved.ts'
import type { ResolvedVideo } from '../../core/visuals/video/resolved.ts'

/** A resolved project of 100x60 px, 10 frames/s, with a test's changes. */
export function projectOf(changes: Partial<ResolvedProject> = {}): ResolvedProject {
  return {
    type: 'video',
    name: 'unnamed',
    width: 100,
    height: 60,
    frameRate: 10,
    durationMode: 'legacy',
    outputFormat: 'mp4',
    backgroundColor: '#ffffff',
    snapshotTime: 0,
    quality: 90,
    transparent: false,
    visuals: [],
    audios: [],
    scenes: [],
    ...changes,
  }
}

const visual = {
  x: 0,
  y: 0,
  position: 'custom',
  anchor: 'top-left',
  enterBegin: 0,
  enterEnd: 0,
  opacity: 1,
  angle: 0,
  flipV: false,
  flipH: false,
  track: 0,
  enterAnimation: null,
  exitAnimation: null,
} as const

export const imageSrc = 'https://example.com/photo.jpg'
export const videoSrc = 'https://example.com/clip.mp4'
const gifSrc = 'https://example.com/moving.gif'
export const soundSrc = 'https://example.com/sound.mp3'

/** An IMAGE of the 40x20 px picture that `factsOf` knows. */
export function imageOf(changes: Partial<ResolvedImage> = {}): ResolvedImage {
  return {
    ...visual,
    type: 'IMAGE',
    field: 'visuals[0]',
    src: imageSrc,
    radius: { tl: 0, tr: 0, br: 0, bl: 0 },
    zoomDepth: 1,
    ...changes,
  }
}

/** A VIDEO of the 40x20 px clip that `factsOf` knows: 3 s at 30 frames a second. */
export function videoOf(changes: Partial<ResolvedVideo> = {}): ResolvedVideo {
  return {
    ...imageOf(),
    src: videoSrc,
    videoBegin: 0,
    speed: 1,
    volume: 1,
    transition: null,
    transitionDuration: 0.5,
    ...changes,
    type: 'VIDEO',
  }
}

/** A GIF of the 40x20 px animation that `factsOf` knows: 1.2 s at 10 frames a second. */
export function gifOf(changes: Partial<ResolvedGif> = {}): ResolvedGif {
  return { ...imageOf(), src: gifSrc, ...changes, type: 'GIF' }
}

/** A TEXT whose layout box `factsOf` knows as 30x10 px, with ink 2 px beyond it on every side. */
export function textOf(changes: Partial<ResolvedText> = {}): ResolvedText {
  return { ...visual, type: 'TEXT', field: 'visuals[1]', html: 'Hello', style: {}, ...changes }
}

export function sceneOf(changes: Partial<ResolvedScene> = {}): ResolvedScene {
  return {
    field: 'scenes[0]',
    id: 'scene',
    duration: 2,
    transition: null,
    transitionDuration: 0.5,
    backgroundColor: '#000000',
    visuals: [],
    audios: [],
    ...changes,
  }
}

/** The sound that `factsOf` knows lasts 3 s. */
export function audioOf(changes: Partial<ResolvedAudio> = {}): ResolvedAudio {
  return {
    field: 'audios[0]',
    src: soundSrc,
    enter: 0,
    matchDuration: false,
    volume: 1,
    speed: 1,
    audioBegin: 0,
    track: 0,
    ...changes,
  }
}

/** Facts of the media above. `video`: another size of the clip, px. */
export function factsOf({ video: size = {} }: { readonly video?: Partial<Size> } = {}): Facts {
  const photo: MediaFacts = {
    kind: 'image',
    format: 'jpeg',
    width: 40,
    height: 20,
    hasAlpha: false,
  }
  const clip = { width: 40, height: 20, hasAlpha: false, hasAudio: false }
  const film = { kind: 'video', format: 'mp4', frameRate: [30, 1], frames: 90 } as const
  const video: MediaFacts = { ...clip, ...size, ...film, frameRate: [30, 1] }
  const gif: MediaFacts = { ...clip, kind: 'gif', format: 'gif', frameRate: [10, 1], frames: 12 }
  const sound: MediaFacts = {
    kind: 'audio',
    format: 'mp3',
    duration: 3,
    sampleRate: 44_100,
    channels: 2,
  }
  const text: BakeFacts = {
    digest: 'b'.repeat(64),
    bytes: 1,
    width: 30,
    height: 10,
    inkX: -2,
    inkY: -2,
    inkWidth: 34,
    inkHeight: 14,
    warnings: [],
  }
  return {
    media: new Map([
      [mediaKey({ expect: 'image', url: imageSrc }), { digest: 'a'.repeat(64), facts: photo }],
      [mediaKey({ expect: 'video', url: videoSrc }), { digest: 'd'.repeat(64), facts: video }],
      [mediaKey({ expect: 'gif', url: gifSrc }), { digest: 'e'.repeat(64), facts: gif }],
      [mediaKey({ expect: 'audio', url: soundSrc }), { digest: 'c'.repeat(64), facts: sound }],
    ]),
    bakes: new Map(
      bakeNeeds(projectOf({ visuals: [textOf()] })).map((document) => [
        bakeKeyText(document),
        text,
      ]),
    ),
  }
}
