import { join } from 'node:path'
import { captionLimits } from '../../core/captions/caption.ts'
import { FarmError } from '../../core/errors.ts'
import { pictureSentence } from '../../core/plan/media-warnings.ts'
import type { IngestResult, IngestSpec, MediaFacts } from '../../core/queue/tasks.ts'
import { type Sniffed, sniffFile } from '../../runtime/media/sniff.ts'
import { fetchMedia } from '../../runtime/outbound/fetch-media.ts'
import type { TaskContext } from '../context.ts'
import { inspectCaptions } from '../media/captions.ts'
import { inspectClip } from '../media/clip.ts'
import type { ClipFile, ClipHeader } from '../media/clip-probe.ts'
import { mediaLimits } from '../media/limits.ts'
import { inspectPicture } from '../media/picture.ts'
import { inspectSound } from '../media/sound.ts'

/**
 * Fetches one URL, inspects it by decoding all of it, and stores the original bytes. A known object
 * is neither decoded nor stored again.
 */
export async function ingest(spec: IngestSpec, task: TaskContext): Promise<IngestResult> {
  if (!spec.isInHtml) return await ingestOne(spec, task)
  try {
    return await ingestOne(spec, task)
  } catch (error) {
    if (!(error instanceof FarmError)) throw error
    if (!error.code.startsWith('media_')) throw error
    const { code, field = spec.field, retry, cause } = error
    const message = pictureSentence(error.message, spec.url)
    throw new FarmError(code, message, { field, retry, cause })
  }
}

async function ingestOne(spec: IngestSpec, task: TaskContext): Promise<IngestResult> {
  const { url, field, expect, known } = spec
  // No extension: no program may guess a format from the name.
  const file = join(task.dir, 'media')
  task.notes.info({ expect }, 'fetching the medium')
  const fetched = await task.span.part('fetch', () =>
    fetchMedia({
      url,
      field,
      to: file,
      ...(known && { known }),
      maxBytes: bytesMax[expect],
      timeoutMs: mediaLimits.fetchTimeoutMs,
      signal: task.signal,
      trustedHosts: task.node.trustedHosts,
    }),
  )
  const { file: body, ...freshness } = fetched
  task.notes.info({ bytes: body?.bytes ?? 0, isUnchanged: !body }, 'medium fetched')
  if (known && (!body || body.sha256 === known.digest)) {
    return { ...freshness, digest: known.digest, bytes: body?.bytes ?? 0 }
  }
  if (!body) throw new Error('Only a request with a known version may be answered as unchanged')
  const { bytes, sha256: digest } = body
  const look = () => task.span.part('inspect', () => inspect({ spec, file, digest }, task))
  // Captions have long facts and are quickly read, so these are not cached.
  const isKept = expect !== 'subtitle'
  const key = `${task.accountId} ${expect} ${digest}`
  task.notes.info('inspecting the medium')
  const facts = isKept ? await task.node.inspections.get(key, look) : await look()
  await task.span.part('upload', () => task.put('media', file))
  await task.node.originals.adopt(digest, file)
  return { ...freshness, digest, bytes, facts }
}

async function inspect(
  { spec, file, digest }: { spec: IngestSpec; file: string; digest: string },
  { node, accountId, dir, signal }: TaskContext,
): Promise<MediaFacts> {
  const { field, expect, isInHtml } = spec
  const sniffed = await sniffFile(file)
  if (sniffed.kind === 'image' && expect === 'image') {
    const { decoders, pixels } = node
    return inspectPicture(
      { file, digest, field, format: sniffed.format },
      { decoders, accountId, pixels, dir, signal },
    )
  }
  if (sniffed.kind === 'audio' && expect === 'audio') {
    const { sandbox } = node
    return inspectSound({ file, field, format: sniffed.format }, { sandbox, dir, signal })
  }
  if (sniffed.kind === 'unknown' && expect === 'subtitle') return inspectCaptions({ file, field })
  const clip = clipFormat(sniffed, expect)
  if (clip && (expect === 'video' || expect === 'gif')) {
    const { sandbox, clipHeaders } = node
    // Caches the header, as this node may soon decode the clip.
    const onHeader = (header: ClipHeader) => void clipHeaders.get(digest, async () => header)
    return inspectClip({ file, field, ...clip, kind: expect }, { sandbox, signal, onHeader })
  }
  const isAdvised = sniffed.kind === 'foreign' && expect === 'image'
  const remedy = isAdvised ? ` ${sniffed.remedy}` : ''
  const rule = isInHtml ? ruleInHtml : rules[expect]
  throw new FarmError('media_invalid', `${rule} Got ${nameOf(sniffed, isInHtml)}.${remedy}`, {
    field,
  })
}

const bytesMax: Record<IngestSpec['expect'], number> = {
  image: mediaLimits.imageBytes,
  gif: mediaLimits.imageBytes,
  video: mediaLimits.clipBytes,
  audio: mediaLimits.audioBytes,
  subtitle: captionLimits.fileBytes,
}

/**
 * Returns the format if the file can be such a clip; a container of sound may hold pictures as
 * well.
 */
function clipFormat(
  sniffed: Sniffed,
  expect: IngestSpec['expect'],
): Pick<ClipFile, 'format'> | undefined {
  if (sniffed.kind === 'image' && sniffed.format === 'gif' && expect === 'gif') {
    return { format: sniffed.format }
  }
  const { kind } = sniffed
  if (kind !== 'audio' || expect !== 'video') return undefined
  return sniffed.format === 'mp4' || sniffed.format === 'webm'
    ? { format: sniffed.format }
    : undefined
}

const rules = {
  image: 'An IMAGE must be a png, jpeg, webp, gif or avif file.',
  gif: 'A GIF must be a gif file.',
  video: 'A VIDEO must be an mp4, mov, webm or mkv file.',
  subtitle: 'A subtitle must be an SRT or WebVTT file.',
  audio:
    'A sound must be an mp3, aac, m4a, wav, ogg, opus or flac file, or the track of an mp4 or webm.',
} as const

const ruleInHtml = 'A picture in html must be a png, jpeg, webp, gif or avif file.'

function nameOf(sniffed: Sniffed, isInHtml = false): string {
  switch (sniffed.kind) {
    case 'image':
      return `a picture (${sniffed.format})`
    case 'audio':
      return `sound or film (${sniffed.format})`
    case 'svg':
      return isInHtml
        ? 'markup (svg); write its <svg> into the html in place of <img>'
        : 'markup (svg); put it into the svg field of an SVG visual'
    case 'foreign':
      return sniffed.name
    case 'unknown':
      return 'a file of another kind'
    default:
      return sniffed satisfies never
  }
}
