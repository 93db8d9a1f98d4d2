import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { newerNames, olderNames, progresses, xfadeFrames } from './frames.ts'
import { inputs, type Way, ways } from './pictures.ts'

/**
 * Frames of the newer names lie beside this file: one PNG a way, premultiplied RGBA, for each name
 * (in the table's order) its frames below each other. They are made again by
 *
 *     python3 -m venv /tmp/venv && /tmp/venv/bin/pip install imageio-ffmpeg
 *     node test/worker/paint/xfade/references.ts /tmp/venv/lib/python3*\/site-packages/imageio_ffmpeg/binaries/ffmpeg-*
 *
 * (made with imageio-ffmpeg 0.8.1, ffmpeg 9.0.2) whenever the pictures or the newer names change.
 */
const fileOf = (way: Way) => fileURLToPath(new URL(`${way}.png`, import.meta.url))

/** Frames of xfade on the inputs, for every name: by the system's ffmpeg, or as stored. */
export async function expectedFrames(way: Way): Promise<ReadonlyMap<string, readonly Buffer[]>> {
  const made = await xfadeFrames(olderNames, { way, ffmpeg: 'ffmpeg' })
  const { data } = await sharp(fileOf(way)).raw().toBuffer({ resolveWithObject: true })
  const { width, height } = inputs[way]
  const bytes = width * height * 4
  if (data.length !== newerNames.length * progresses.length * bytes) {
    throw new Error(`${way}.png is of other pictures. Make the references again`)
  }
  const kept = newerNames.map((name, nameAt) => {
    const frames = progresses.map((_, at) => {
      const start = (nameAt * progresses.length + at) * bytes
      return data.subarray(start, start + bytes)
    })
    return [name, frames] as const
  })
  return new Map([...made, ...kept])
}

async function makeReferences(ffmpeg: string): Promise<void> {
  for (const way of ways) {
    const made = await xfadeFrames(newerNames, { way, ffmpeg })
    const frames = [...made.values()].flat()
    const { width, height } = inputs[way]
    await sharp(Buffer.concat(frames), {
      raw: { width, height: height * frames.length, channels: 4 },
    })
      .png({ compressionLevel: 9, adaptiveFiltering: true })
      .toFile(fileOf(way))
  }
}

if (import.meta.main) {
  const [ffmpeg] = process.argv.slice(2)
  if (!ffmpeg) throw new Error('The path of an ffmpeg that has every xfade must be given')
  await makeReferences(ffmpeg)
}
