import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import type { MediaFacts } from '../../core/queue/tasks.ts'
import { pixelsName, type StillPixels } from '../../core/timeline/draw.ts'
import type { ImageFormat } from '../../runtime/media/sniff.ts'
import type { DiskCache } from '../files/disk-cache.ts'
import { diskFullMessage } from '../files/disk-space.ts'
import { readWhole } from '../files/read-whole.ts'
import type { Answer } from './decoder.ts'
import { mediaLimits } from './limits.ts'
import type { PictureDecoders } from './picture-decoders.ts'
import { readPictureSize } from './picture-size.ts'
import { salvaged, structureFault } from './picture-structure.ts'
import { pixelHeaderBytes, readPixelHeader } from './pixel-file.ts'

export type PictureWork = {
  readonly decoders: PictureDecoders
  readonly accountId: string
  /** Decoded pictures of the account, by the digest of their source. */
  readonly pixels: DiskCache
  /** Scratch directory of the task. */
  readonly dir: string
  readonly signal: AbortSignal
}

/** Picture in memory: straight RGBA, rows top first. */
export type RawPicture = { readonly width: number; readonly height: number; readonly rgba: Buffer }

type Source = { readonly pixels: StillPixels; readonly file: string }

/**
 * Inspects a picture and decodes it once, completely; the pixels stay in the node's cache. Errors:
 * FarmError `media_too_large`, `media_invalid`, with the field.
 */
export async function inspectPicture(
  {
    file,
    digest,
    format,
    field,
  }: { file: string; digest: string; format: ImageFormat; field: string },
  work: PictureWork,
): Promise<MediaFacts> {
  const claimed = await readPictureSize(file, format)
  if (!claimed || claimed.width === 0 || claimed.height === 0) {
    throw damaged(format, field, 'no size in its header')
  }
  const { imagePixels, imageEdge } = mediaLimits
  const { width, height } = claimed
  if (width * height > imagePixels || Math.max(width, height) > imageEdge) {
    const rule = `A picture must have at most ${imagePixels / 1e6} million pixels and edges of ${imageEdge} px.`
    throw new FarmError('media_too_large', `${rule} Got ${width} x ${height}.`, { field })
  }
  const fault = structureFault(await readWhole(file), { format, pixels: width * height })
  const isRefused = fault && (fault !== 'is cut off' || !salvaged.has(format))
  if (isRefused) throw faulty(format, field, fault)
  const [answer] = await decodePictures([{ pixels: { kind: 'media', digest }, file }], work)
  if (!answer || 'error' in answer) {
    throw fault ? faulty(format, field, fault) : damaged(format, field, answer?.error)
  }
  const { shown, ...seen } = answer
  const warnings = shown === undefined ? [] : [damageOf(format, { shown, fault })]
  return { kind: 'image', format, ...seen, ...(warnings.length > 0 && { warnings }) }
}

/** Returns the pixels of pictures that passed `inspectPicture` on any node, in order. */
export async function loadPictures(
  sources: readonly { pixels: StillPixels; open: () => Promise<string> }[],
  work: PictureWork,
): Promise<RawPicture[]> {
  const missing: Source[] = []
  for (const { pixels, open } of sources) {
    if ((await work.pixels.find(cacheName(pixels))) === undefined) {
      missing.push({ pixels, file: await open() })
    }
  }
  for (const answer of await decodePictures(missing, work)) {
    if ('error' in answer)
      throw new Error(`A picture passed inspection and then failed: ${answer.error}`)
  }
  return Promise.all(sources.map(({ pixels }) => readPixels(pixels, work)))
}

async function readPixels(
  pixels: StillPixels,
  { pixels: cache }: PictureWork,
): Promise<RawPicture> {
  const file = await cache.find(cacheName(pixels))
  if (file === undefined) {
    throw new FarmError('disk_full', diskFullMessage, {
      cause: `the pixels of ${pixels.digest} had to leave the cache before they were read`,
    })
  }
  const bytes = await readWhole(file)
  const { width, height } = readPixelHeader(bytes)
  const rgba = bytes.subarray(pixelHeaderBytes)
  // Skia reads as many pixels as the header claims, and a compromised decoder may have written it.
  if (rgba.length !== width * height * 4) {
    throw new Error(`A picture of ${width} x ${height} has 4 bytes a pixel. Got ${rgba.length}`)
  }
  return { width, height, rgba }
}

/** Decodes pictures in the sandbox and puts their pixels into the cache. */
async function decodePictures(
  sources: readonly Source[],
  { decoders, accountId, pixels: cache, dir, signal }: PictureWork,
): Promise<Answer[]> {
  if (sources.length === 0) return []
  const out = join(dir, 'pixels')
  await mkdir(out, { recursive: true })
  return Promise.all(
    sources.map(async ({ pixels, file }) => {
      const { key, room } = pixels
      const to = join(out, pixelsName(pixels))
      const answer = await decoders.decode({ file, to, key, room, accountId, signal })
      if (!('error' in answer)) await cache.adopt(cacheName(pixels), to)
      return answer
    }),
  )
}

/** Includes the engine's version: another engine may decode to other pixels. */
function cacheName(pixels: StillPixels): string {
  return `${pixelsName(pixels)}.${engineVersion}`
}

/** Describes the damage for the customer. */
function damageOf(
  format: ImageFormat,
  { shown, fault }: { shown: number; fault: string | undefined },
): string {
  const damage = `This ${format} file ${fault ?? 'is damaged'}`
  if (shown === 1) return `${damage}. It is shown as far as it can be decoded.`
  const percent = Math.max(1, Math.floor(shown * 100))
  return `${damage}. The ${percent} % of the picture that it holds are shown, the rest is clear.`
}

function faulty(format: string, field: string, fault: string): FarmError {
  const rule = 'The picture must be whole and undamaged.'
  return new FarmError('media_invalid', `${rule} This ${format} file ${fault}.`, { field })
}

function damaged(format: string, field: string, cause: string | undefined): FarmError {
  return new FarmError(
    'media_invalid',
    `The picture must be whole and undamaged. Got a damaged ${format}.`,
    {
      field,
      cause,
    },
  )
}
