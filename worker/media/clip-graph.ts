import type { ColorKey } from '../../core/timeline/draw.ts'
import { colorFilters, yuvFilters } from './clip-colors.ts'
import type { ClipHeader } from './clip-probe.ts'
import { leadFrames } from './clip-times.ts'

/**
 * Clip frames to decode. ffmpeg's filters contain no text of a stranger: only numbers and names
 * from the tables here.
 */

export type Wanted = {
  /** Frames of the clip's sequence, ascending, each once. */
  readonly frames: readonly number[]
  readonly frameRate: readonly [number, number]
  /** Width and height to scale to, px; the header's are those of the whole picture. */
  readonly size: readonly [number, number]
  readonly key?: ColorKey
}

/**
 * Returns a graph that yields the wanted frames in order, as straight RGBA.
 *
 * Each decoded frame begins at the slot nearest to its time; timestamps are the file's own
 * (`-copyts`), so the start of decoding changes nothing. `fps` fills the slots between with the
 * previous frame, and `tpad` fills those after the end. The end of the stream has its own time,
 * which `setpts` moves too. If the last packet has no length, or less than a slot, the end is put
 * one slot later: `fps` drops a frame that ends where it begins.
 */
export function clipGraph(header: ClipHeader, wanted: Wanted): string {
  const {
    key,
    size: [width, height],
  } = wanted
  return [
    ...wantedFrames(header, wanted),
    ...colorFilters(header, { width, height }),
    ...(key && isKeyedInGraph(header, key)
      ? [`colorkey=0x${key.color.slice(1)}:${key.similarity}:${key.blend}`]
      : []),
  ].join(',')
}

/** Returns filters that yield the wanted frames in order, as decoded. */
function wantedFrames(header: ClipHeader, { frames, frameRate }: Wanted): string[] {
  const [over, under] = frameRate
  const first = frames[0] ?? 0
  return [
    `setpts=PTS-(${header.startTick})`,
    `settb=${under}/${over}`,
    `setpts='PTS+${leadFrames(header, frameRate)}+lte(PTS,PREV_INPTS)'`,
    `fps=fps=${over}/${under}:round=near:start_time=${((first * under) / over).toFixed(9)}`,
    'tpad=stop=-1:stop_mode=clone',
    `select='${anyOf(frames)}'`,
    ...deinterlacing[header.interlaced],
    ...(header.isCropped ? [`crop=${header.width}:${header.height}:0:0`] : []),
  ]
}

const smooth = 'flags=bicubic+accurate_rnd+bitexact'

/**
 * Shows the second of a frame's two fields (decision 0076): each frame by itself, wherever decoding
 * begins.
 */
const deinterlacing: Readonly<Record<ClipHeader['interlaced'], readonly string[]>> = {
  lines: ['scale=w=iw:h=ih/2:flags=neighbor', `scale=w=iw:h=ih*2:${smooth}`],
  columns: ['scale=w=iw/2:h=ih:flags=neighbor', `scale=w=iw*2:h=ih:${smooth}`],
  not: [],
}

/**
 * Returns a graph for a clip without alpha that yields the wanted frames in a film's colours:
 * BT.709, limited, 4:2:0.
 */
export function clipYuvGraph(header: ClipHeader, wanted: Wanted): string {
  const [width, height] = wanted.size
  return [...wantedFrames(header, wanted), ...yuvFilters(header, { width, height })].join(',')
}

/** Minimum that ffmpeg 5.1's `colorkey` accepts; newer ones accept less. */
const graphSimilarityMin = 0.01

/**
 * Returns whether ffmpeg's `colorkey` can key the clip: it overwrites existing alpha, and knows no
 * small similarity. Otherwise it gives the same pixels as `keyOut` (alpha within 1 of 255, as it
 * computes in 32 bits), in another process.
 */
export function isKeyedInGraph({ hasAlpha }: ClipHeader, { similarity }: ColorKey): boolean {
  return !hasAlpha && similarity >= graphSimilarityMin
}

/** ffmpeg's expressions hold at most 100 terms per level, so this builds a search tree. */
const termsMax = 16

function anyOf(frames: readonly number[]): string {
  const [first = 0] = frames
  const last = first + frames.length - 1
  if (frames.at(-1) === last) return `between(pts,${first},${last})`
  if (frames.length <= termsMax) return frames.map((frame) => `eq(pts,${frame})`).join('+')
  const half = frames.length >> 1
  const [low, high] = [frames.slice(0, half), frames.slice(half)]
  return `if(lt(pts,${high[0]}),${anyOf(low)},${anyOf(high)})`
}
