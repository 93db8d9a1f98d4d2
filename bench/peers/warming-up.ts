import { join } from 'node:path'
import type { BulkRequest, RenderPayload } from '../../client/api-types.ts'
import type { WarmFarm } from '../warm-farm.ts'
import { ffmpeg } from './contest.ts'

/** Enough to compile the code that runs once per job of a bulk, and once per row of a picture. */
const bulkOf = { stills: 200, films: 60 }
const stillPlace = { width: 1280, height: 720 }

/**
 * Warms up a farm with other work of all kinds: every program has run, and its code is compiled.
 * Nothing that it fetches, draws or encodes is used again. `folder`: for small media.
 */
export async function makeWarmingUp(
  folder: string,
  address: (file: string) => string,
): Promise<(farm: WarmFarm) => Promise<void>> {
  const file = (name: string) => join(folder, name)
  const picture = ['-f', 'lavfi', '-i', 'mandelbrot=s=480x270:r=30']
  const tone = ['-f', 'lavfi', '-i', 'sine=220:sample_rate=48000']
  await ffmpeg([...picture, ...tone, '-t', '2', '-pix_fmt', 'yuv420p', file('small.mp4')])
  await ffmpeg([...tone, '-t', '2', file('small.m4a')])
  await ffmpeg([...picture, '-frames:v', '1', file('small.jpg')])
  const place = { width: 320, height: 180 }
  const words = (html: string) => ({ type: 'TEXT' as const, html: `<b>${html}</b>`, track: 1 })
  const photograph = { type: 'IMAGE' as const, src: address(file('small.jpg')), ...place }
  const payloads: readonly RenderPayload[] = [
    { ...place, duration: 1, visuals: [words('a film')] },
    { ...place, type: 'image', outputFormat: 'png', visuals: [photograph, words('a still')] },
    {
      ...{ ...place, duration: 2, audios: [{ src: address(file('small.m4a')) }] },
      visuals: [
        { ...photograph, zoom: true },
        { ...words('zooms'), enterAnimation: 'fade' },
      ],
    },
    {
      ...{ ...place, duration: 2 },
      visuals: [{ type: 'VIDEO', src: address(file('small.mp4')), ...place }, words('a clip')],
    },
  ]
  const itemsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ variables: { n: i + 1 } }))
  const bulks: readonly BulkRequest[] = [
    {
      payload: {
        ...{ ...stillPlace, type: 'image', outputFormat: 'png' },
        visuals: [{ ...photograph, ...stillPlace }, words('one of many stills: {{ n }}')],
      },
      items: itemsOf(bulkOf.stills),
    },
    {
      payload: { ...place, duration: 1, visuals: [words('one of many films: {{ n }}')] },
      items: itemsOf(bulkOf.films),
    },
  ]
  return async (farm) => {
    await Promise.all(payloads.map((payload) => farm.render(payload)))
    for (const bulk of bulks) await farm.renderBulk(bulk)
  }
}
