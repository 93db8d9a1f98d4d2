import type { ClipFacts } from '../../core/timeline/facts.ts'
import type { Ended } from '../process/programs.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { clipLimits, mediaLimits, probeLimits } from './limits.ts'

/**
 * Formats of strangers' clips. ffmpeg sees them only in the sandbox, under a meaningless name, with
 * the demuxer that the first bytes chose, and with few decoders.
 */
export type ClipFormat = 'mp4' | 'webm' | 'gif'

export type ClipFile = {
  readonly file: string
  readonly format: ClipFormat
  /** Visible part of a rewritten GIF (readable-clip.ts), px. */
  readonly screen?: readonly [width: number, height: number]
}

export type ClipWork = { readonly sandbox: Sandbox; readonly signal?: AbortSignal }

/** Header of the picture's track. */
export type ClipHeader = {
  readonly codec: string
  /** Size as shown: turned upright, square pixels. */
  readonly width: number
  readonly height: number
  /** The coded picture reaches further, to the right or down. */
  readonly isCropped?: true
  /** Lines of the coded picture, before it is turned. */
  readonly codedLines: number
  /**
   * Direction in which a frame interleaves two fields; `columns` for a clip turned by a quarter.
   */
  readonly interlaced: 'lines' | 'columns' | 'not'
  /** One edge of the coded picture is odd. */
  readonly hasOddEdge: boolean
  readonly pixelFormat: string
  readonly hasAlpha: boolean
  readonly hasAudio: boolean
  /** ffmpeg's names; `unknown` when the file does not say. */
  readonly matrix: string
  readonly range: string
  readonly transfer: string
  readonly primaries: string
  /** Seconds per tick of the track's clock, as a fraction. */
  readonly tick: readonly [number, number]
  /** Tick at which its first frame is shown. */
  readonly startTick: number
  /** Seconds from the file's start to its first frame: sound may begin before. */
  readonly lead: number
  /** Frame rates as ffmpeg guesses them, most exact first; fractions. */
  readonly rates: readonly (readonly [number, number])[]
  /** Length of the track from its first frame that the header claims, seconds; 0 = unknown. */
  readonly claimedSeconds: number
}

const demuxers: Record<ClipFormat, string> = { mp4: 'mov', webm: 'matroska', gif: 'gif' }

export const pictureDecoders =
  'h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,mpeg4,h263,mjpeg,prores,dnxhd,qtrle,png,' +
  'mpeg1video,mpeg2video,gif'

/** ffmpeg opens a decoder for every track while it probes a file. */
const otherDecoders =
  'mp3float,mp3,aac,opus,libopus,vorbis,flac,alac,ac3,eac3,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,' +
  'pcm_s24be,pcm_s32le,pcm_f32le,pcm_alaw,pcm_mulaw,mov_text,webvtt,subrip,srt,ass,ssa'

/** ffprobe refuses a track of another codec only if it has a decoder for it. */
const codecs: ReadonlySet<string> = new Set(`${pictureDecoders},${otherDecoders}`.split(','))
const decodedTypes: ReadonlySet<string> = new Set(['video', 'audio', 'subtitle'])

/** Beginning of the failure for a file that is readable but has no moving pictures. */
export const noPictures = 'no track of moving pictures'

const probeTimeoutMs = 20_000

export function clipInputFlags(format: ClipFormat): string[] {
  return [
    ...['-max_alloc', String(512 * 2 ** 20)],
    ...['-protocol_whitelist', 'file'],
    ...['-format_whitelist', demuxers[format]],
    ...['-codec_whitelist', `${pictureDecoders},${otherDecoders}`],
    ...['-max_pixels', String(mediaLimits.clipPixels)],
    ...['-max_streams', '16'],
    ...['-probesize', '5000000'],
    ...['-analyzeduration', '5000000'],
    ...(format === 'mp4' ? leavesOutPartialSamples : []),
    ...['-f', demuxers[format]],
  ]
}

/** ffmpeg would decode what is there of the sample at which an mp4 is cut off. */
export const leavesOutPartialSamples: readonly string[] = ['-fflags', '+discardcorrupt']

/** Runs ffmpeg or ffprobe on the clip, behind the fence. */
export function runOnClip(
  program: 'ffprobe' | 'ffmpeg',
  args: readonly string[],
  {
    clip,
    work,
    onStdout,
  }: {
    clip: ClipFile
    work: ClipWork
    onStdout?: (chunk: Buffer) => void
  },
): Promise<Ended> {
  return work.sandbox.run({
    program,
    args,
    fence: clipFence(clip, program === 'ffprobe' ? probeLimits : clipLimits),
    timeoutMs: probeTimeoutMs,
    ...(onStdout && { onStdout }),
    ...(work.signal && { signal: work.signal }),
  })
}

export function clipFence({ file }: ClipFile, limits = clipLimits) {
  return { read: [file], write: [], limits }
}

/**
 * Returns the header of the first track of moving pictures, or the reason why there is none, for
 * the log.
 */
export async function readClipHeader(
  clip: ClipFile,
  work: ClipWork,
): Promise<ClipHeader | { readonly failure: string }> {
  const entries =
    'format=start_time:stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,' +
    'color_space,color_range,color_transfer,color_primaries,field_order,time_base,start_pts,start_time,' +
    'r_frame_rate,avg_frame_rate,duration:stream_disposition=attached_pic:' +
    'stream_tags=alpha_mode,DURATION:stream_side_data=rotation'
  const args = ['-v', 'error', ...clipInputFlags(clip.format), '-show_entries', entries]
  const ended = await runOnClip('ffprobe', [...args, '-of', 'json', clip.file], { clip, work })
  if (ended.exitCode !== 0) return { failure: ended.timedOut ? 'timeout' : ended.stderrTail }
  const probed: Probed = JSON.parse(ended.stdout)
  const foreign = (probed.streams ?? []).find(
    ({ codec_type = '', codec_name }) =>
      decodedTypes.has(codec_type) && codec_name !== undefined && !codecs.has(codec_name),
  )
  if (foreign) return { failure: `a track of ${foreign.codec_name}` }
  const track = (probed.streams ?? []).find(
    ({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic,
  )
  if (!track?.width || !track.height) return { failure: `${noPictures}\n${ended.stderrTail}` }
  const hasAudio = (probed.streams ?? []).some(({ codec_type }) => codec_type === 'audio')
  return shownOn(
    clip.screen,
    headerOf(track, { hasAudio, fileStart: Number(probed.format?.start_time ?? 0) }),
  )
}

function shownOn(screen: ClipFile['screen'], header: ClipHeader): ClipHeader {
  if (!screen) return header
  const [width, height] = screen
  const isCropped = header.width > width || header.height > height
  return { ...header, width, height, ...(isCropped && { isCropped }) }
}

type Track = {
  readonly codec_type?: string
  readonly codec_name?: string
  readonly width?: number
  readonly height?: number
  readonly sample_aspect_ratio?: string
  readonly pix_fmt?: string
  readonly color_space?: string
  readonly color_range?: string
  readonly color_transfer?: string
  readonly color_primaries?: string
  readonly field_order?: string
  readonly time_base?: string
  readonly start_pts?: number
  readonly start_time?: string
  readonly r_frame_rate?: string
  readonly avg_frame_rate?: string
  readonly duration?: string
  readonly disposition?: { readonly attached_pic?: number }
  readonly tags?: { readonly alpha_mode?: string; readonly DURATION?: string }
  readonly side_data_list?: readonly { readonly rotation?: number }[]
}

type Probed = { readonly streams?: readonly Track[]; readonly format?: { start_time?: string } }

function headerOf(
  track: Track,
  { hasAudio, fileStart }: { hasAudio: boolean; fileStart: number },
): ClipHeader {
  const pixelFormat = track.pix_fmt ?? 'unknown'
  const start = Number(track.start_time ?? 0)
  return {
    codec: track.codec_name ?? 'unknown',
    ...shownSize(track),
    codedLines: track.height ?? 0,
    pixelFormat,
    hasAlpha:
      track.tags?.alpha_mode === '1' || /^(yuva|rgba|argb|abgr|bgra|gbrap|ya)/.test(pixelFormat),
    hasAudio,
    matrix: track.color_space ?? 'unknown',
    range: track.color_range ?? (pixelFormat.startsWith('yuvj') ? 'pc' : 'unknown'),
    transfer: track.color_transfer ?? 'unknown',
    primaries: track.color_primaries ?? 'unknown',
    tick: fraction(track.time_base) ?? [1, 1000],
    startTick: track.start_pts ?? 0,
    lead: Number.isFinite(start - fileStart) ? Math.max(0, start - fileStart) : 0,
    rates: [track.r_frame_rate, track.avg_frame_rate].flatMap((rate) => {
      const found = fraction(rate)
      return found ? [found] : []
    }),
    claimedSeconds: claimedSeconds(track, start),
  }
}

function shownSize({
  width = 0,
  height = 0,
  sample_aspect_ratio,
  field_order,
  side_data_list,
}: Track): Pick<ClipHeader, 'width' | 'height' | 'hasOddEdge' | 'interlaced'> {
  const [over, under] = fraction(sample_aspect_ratio?.replace(':', '/')) ?? [1, 1]
  // Pixels are stretched, never squeezed: no line is lost.
  const across = over > under ? Math.round((width * over) / under) : width
  const down = over < under ? Math.round((height * under) / over) : height
  const turned = side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0
  const isOnItsSide = Math.abs((Math.abs(turned) % 180) - 90) < 1
  const hasOddEdge = width % 2 === 1 || height % 2 === 1
  const isInterlaced = /^(tt|bb|tb|bt)$/.test(field_order ?? '')
  return isOnItsSide
    ? { width: down, height: across, hasOddEdge, interlaced: isInterlaced ? 'columns' : 'not' }
    : { width: across, height: down, hasOddEdge, interlaced: isInterlaced ? 'lines' : 'not' }
}

/**
 * Returns the claimed length. Matroska's tag holds the track's end, on a clock on which it may
 * begin late.
 */
function claimedSeconds({ duration, tags }: Track, start: number): number {
  const tag = /^(\d+):(\d+):([\d.]+)$/.exec(tags?.DURATION ?? '')
  const end = tag ? Number(tag[1]) * 3600 + Number(tag[2]) * 60 + Number(tag[3]) : 0
  const tagged = end - Math.max(0, start)
  const claimed = Number(duration ?? tagged)
  return Number.isFinite(claimed) ? claimed : 0
}

function fraction(text: string | undefined): readonly [number, number] | undefined {
  const [over, under] = (text ?? '').split('/').map(Number)
  return over && under && over > 0 && under > 0 ? [over, under] : undefined
}

/** Returns two numbers without a common factor. */
export function reduced(over: number, under: number): ClipFacts['frameRate'] {
  const common = commonFactor(over, under)
  return [over / common, under / common]
}

export function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b)
}
