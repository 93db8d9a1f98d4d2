import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestFn } from 'ava'
import sharp from 'sharp'
import type { BakeDocument } from '../../../core/queue/tasks.ts'
import { createLog } from '../../../runtime/log.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import type { BakedPicture } from '../../../worker/bake/paint.ts'

/** Long time-outs for quick pictures, on a busy machine. */
export const patience = { together: 120_000, alone: 120_000 }

/** A real baker for the tests of one file; its folder goes with it. */
export function bakerFor(test: TestFn): () => Baker {
  let baker: Baker | undefined
  let dataDir: string | undefined
  test.before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
    baker = createBaker({ log: createLog('test', 'silent'), dataDir, limitMs: patience })
  })
  test.after.always(async () => {
    await baker?.close()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
  })
  return () => baker as Baker
}

export const never = new AbortController().signal

export function html(markup: string, more: Partial<BakeDocument> = {}): BakeDocument {
  return { kind: 'html', markup, style: {}, field: 'visuals[0]', ...more }
}

export function svg(markup: string, more: Partial<BakeDocument> = {}): BakeDocument {
  return { kind: 'svg', markup, style: {}, field: 'visuals[0]', ...more }
}

export async function bakeOne(baker: Baker, document: BakeDocument): Promise<BakedPicture> {
  const [picture] = await baker.bake([document], never)
  return picture as BakedPicture
}

/** RGBA at a point of the element's box. */
export type PixelAt = (x: number, y: number) => number[]

export async function pixelsOf({ png, inkX, inkY }: BakedPicture): Promise<PixelAt> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
  return (x, y) => {
    const [column, row] = [x - inkX, y - inkY]
    const isInside = column >= 0 && row >= 0 && column < info.width && row < info.height
    const at = (row * info.width + column) * 4
    return isInside ? [...data.subarray(at, at + 4)] : [0, 0, 0, 0]
  }
}

/** Share of the pixels that have colour, not only shades of grey. */
export async function colourShare({ png }: BakedPicture): Promise<number> {
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
  let coloured = 0
  for (let at = 0; at < data.length; at += 4) {
    const [r = 0, g = 0, b = 0, a = 0] = data.subarray(at, at + 4)
    if (a > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 40) coloured++
  }
  return coloured / (data.length / 4)
}

/** A picture with its bytes as a hash, so that a failed comparison can be read. */
export function factsOf({ png, ...facts }: BakedPicture): object {
  return { ...facts, digest: createHash('sha256').update(png).digest('hex') }
}
