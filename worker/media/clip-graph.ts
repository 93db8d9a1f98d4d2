import type { ColorKey } from '../../core/timeline/draw.ts'
import type { ClipHeader } from './clip-probe.ts'
import { leadFrames } from './clip-times.ts'

/**
 * ffmpeg's filters for a clip, from facts about its track. No text of a stranger gets in: numbers,
 * and names out of the tables here.
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
 * The wanted frames, one after the other, as straight RGBA.
 *
 * Each decoded frame begins at the slot nearest to its time; timestamps are the file's own
 * (`-copyts`), so where decoding began changes nothing. `fps` fills the slots between, holding what
 * was shown before, and `tpad` those after the end.
 */
export function clipGraph(header: ClipHeader, wanted: Wanted): string {
  const { key, size } = wanted
  return [
    ...wantedFrames(header, wanted),
    ...colorFilters(header, size),
    ...(key && isKeyedInGraph(header, key)
      ? [`colorkey=0x${key.color.slice(1)}:${key.similarity}:${key.blend}`]
      : []),
  ].join(',')
}

/** The wanted frames, one after the other, as they are decoded. */
function wantedFrames(header: ClipHeader, { frames, frameRate }: Wanted): string[] {
  const [over, under] = frameRate
  const first = frames[0] ?? 0
  return [
    `setpts=PTS-(${header.startTick})`,
    `settb=${under}/${over}`,
    `setpts=PTS+${leadFrames(header, frameRate)}`,
    `fps=fps=${over}/${under}:round=near:start_time=${((first * under) / over).toFixed(9)}`,
    'tpad=stop=-1:stop_mode=clone',
    `select='${anyOf(frames)}'`,
  ]
}

/** The wanted frames of a clip without alpha in the colours of a film: BT.709, limited, 4:2:0. */
export function clipYuvGraph(header: ClipHeader, wanted: Wanted): string {
  return [...wantedFrames(header, wanted), ...yuvFilters(header, wanted.size)].join(',')
}

/** The least that ffmpeg 5.1's `colorkey` takes; newer ones take less. */
const graphSimilarityMin = 0.01

/**
 * ffmpeg's `colorkey` writes over the alpha that is there, and knows no small similarity; otherwise it
 * gives the pixels that `keyOut` gives (their alpha to 1 in 255: it counts in 32 bits), in another
 * process.
 */
export function isKeyedInGraph({ hasAlpha }: ClipHeader, { similarity }: ColorKey): boolean {
  return !hasAlpha && similarity >= graphSimilarityMin
}

/** Its expressions hold at most 100 terms on a level, so a search tree. */
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

/** zscale's names for the matrices that tracks name. */
const matrices: Readonly<Record<string, string>> = {
  bt709: 'bt709',
  bt470bg: 'bt470bg',
  smpte170m: 'smpte170m',
  fcc: 'fcc',
  // Differs from BT.709 by half a percent, and zscale has no name for it that works.
  smpte240m: 'bt709',
  bt2020nc: 'bt2020nc',
  bt2020c: 'bt2020nc',
}

/** Tracks that say nothing: as players take them, by their lines. */
const standardLines = 576

const hdrTransfers = ['smpte2084', 'arib-std-b67']
/** HDR's reference white in cd/m², which becomes SDR's (ITU-R BT.2408), and the light that is white. */
const referenceWhite = 203
const brightest = 1000

/** swscale's way that gives the same pixels on every processor. */
const exactly = 'flags=bicubic+accurate_rnd+bitexact+full_chroma_int+full_chroma_inp'

/**
 * To full-range RGB with BT.709 primaries, straight alpha, square pixels. zscale is as exact as
 * swscale's exact way and takes a third of its time (7 ms a 1080p frame, not 25).
 */
function colorFilters(header: ClipHeader, [width, height]: Wanted['size']): string[] {
  const { transfer, primaries, hasAlpha } = header
  if (isRgb(header)) {
    return [`scale=w=${width}:h=${height}:${exactly}`, 'format=rgba']
  }
  const size = `w=${width}:h=${height}:`
  const isWide = primaries === 'bt2020'
  const from = `pin=${isWide ? 'bt2020' : 'bt709'}:min=${matrixOf(header)}:rin=${header.range === 'pc' ? 'pc' : 'tv'}`
  const rgb = [hasAlpha ? 'format=gbrap' : 'format=gbrp', 'format=rgba']
  if (!hdrTransfers.includes(transfer)) {
    const to = 'p=bt709:t=bt709:m=gbr:r=pc'
    return [...wholeChroma(header), `zscale=${size}f=bicubic:${from}:tin=bt709:${to}`, ...rgb]
  }
  return [
    ...wholeChroma(header),
    `zscale=${size}f=bicubic:${from}:tin=${transfer}:t=linear:npl=${referenceWhite}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=mobius:param=0.5:desat=0:peak=${(brightest / referenceWhite).toFixed(3)}`,
    'zscale=t=bt709:m=gbr:r=pc',
    'format=gbrp',
    'format=rgba',
  ]
}

/**
 * What is 8 bits, 4:2:0 and BT.709 already is scaled where it must be, and not touched where it has
 * the size.
 */
function yuvFilters(header: ClipHeader, [width, height]: Wanted['size']): string[] {
  const { transfer, primaries, pixelFormat, range } = header
  const size = `w=${width}:h=${height}`
  const yuv = ['format=yuv420p', 'setsar=0']
  const isHdr = hdrTransfers.includes(transfer)
  const isWide = primaries === 'bt2020'
  if (isRgb(header) || isHdr) {
    const rgb = colorFilters(header, [width, height]).slice(0, -1)
    return [...rgb, 'format=gbrp', 'zscale=min=gbr:rin=pc:m=bt709:r=tv', ...yuv]
  }
  const matrix = matrixOf(header)
  const isReady = pixelFormat === 'yuv420p' && matrix === 'bt709' && range !== 'pc' && !isWide
  if (isReady) return [`scale=${size}:flags=bicubic+accurate_rnd+bitexact`, ...yuv]
  const from = `pin=${isWide ? 'bt2020' : 'bt709'}:min=${matrix}:rin=${range === 'pc' ? 'pc' : 'tv'}`
  const to = 'p=bt709:t=bt709:m=bt709:r=tv'
  return [...wholeChroma(header), `zscale=${size}:f=bicubic:${from}:tin=bt709:${to}`, ...yuv]
}

function matrixOf({ matrix, height }: ClipHeader): string {
  return matrices[matrix] ?? (height > standardLines ? 'bt709' : 'smpte170m')
}

/** zscale refuses odd edges where chroma is halved. */
function wholeChroma({ hasOddEdge, hasAlpha, pixelFormat }: ClipHeader): string[] {
  if (!hasOddEdge || /444/.test(pixelFormat)) return []
  const depth = /1[0246]/.test(pixelFormat.replace(/^\w*?42[02]/, '')) ? '12' : ''
  return [`scale=${exactly}`, `format=yuv${hasAlpha ? 'a' : ''}444p${depth}`]
}

function isRgb({ matrix, pixelFormat }: ClipHeader): boolean {
  return matrix === 'gbr' || /^(gbr|rgb|bgr|argb|abgr|rgba|bgra|pal8)/.test(pixelFormat)
}
