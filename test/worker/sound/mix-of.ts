import { decodeClip } from '../../../worker/media/sound-decode.ts'
import { mixSound } from '../../../worker/sound/mix.ts'
import { clipOf, workOf } from '../encode/film-of.ts'

export const hz = 440
export const toneAt = (sample: number, rate = 48_000) =>
  Math.sin((2 * Math.PI * hz * sample) / rate)

type Clip = Parameters<typeof clipOf>[0] & { file: string; format?: 'wav' | 'mp3' | 'mp4' }

/** Mixes clips: 48 kHz, left and right in turn. */
export async function mixOf(t: Parameters<typeof workOf>[0], clips: Clip[], samples: number) {
  const work = await workOf(t)
  const decoded = []
  for (const [index, { file, format = 'wav', ...rest }] of clips.entries()) {
    const clip = clipOf(rest)
    const sound = { file, format, field: 'audios[0].src' }
    decoded.push({ clip, file: await decodeClip({ clip, sound, index }, work) })
  }
  const blocks: Buffer[] = []
  for await (const block of mixSound(decoded, samples)) blocks.push(Buffer.from(block))
  const bytes = Buffer.concat(blocks)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

export const left = (pcm: Float32Array, sample: number) => pcm[sample * 2] ?? Number.NaN
