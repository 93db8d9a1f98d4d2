import { type AudioClip, audioSampleRate, type Fade } from '../../core/plan/plan.ts'
import { createLimiter } from './limiter.ts'
import { floatBytes, openWav, type Wav } from './wav.ts'

/** Clip, and the WAV (float32, 48 kHz, mono or stereo) of the part that it plays. */
export type DecodedClip = { readonly clip: AudioClip; readonly file: string }

const blockSamples = audioSampleRate

/**
 * Yields the film's whole sound, `samples` long, as blocks of interleaved stereo float32
 * little-endian: clips at their places and volumes, silence elsewhere, the sum kept below full
 * scale. Memory is one block for each sounding clip.
 */
export async function* mixSound(
  clips: readonly DecodedClip[],
  samples: number,
): AsyncGenerator<Buffer> {
  const sources = await Promise.all(clips.map(openSource))
  const limiter = createLimiter()
  try {
    for (let at = 0; at < samples + limiter.delay; at += blockSamples) {
      const length = Math.min(blockSamples, samples + limiter.delay - at)
      const sum = new Float32Array(length * 2)
      for (const source of sources) await addSource(sum, source, at)
      // The limiter is `delay` late: its leading silence is dropped from the first block.
      const limited = limiter.process(sum)
      const late = limited.subarray(at === 0 ? limiter.delay * 2 : 0)
      if (late.length > 0) yield Buffer.from(late.buffer, late.byteOffset, late.byteLength)
    }
  } finally {
    await Promise.all(sources.map(({ handle }) => handle.close()))
  }
}

type Source = Wav & { readonly clip: AudioClip }

async function openSource({ clip, file }: DecodedClip): Promise<Source> {
  return { clip, ...(await openWav(file)) }
}

/** Adds the clip's samples between `at` and the end of the block. */
async function addSource(
  sum: Float32Array,
  { handle, clip, channels, dataStart }: Source,
  at: number,
): Promise<void> {
  const begin = Math.max(at, clip.at)
  const end = Math.min(at + sum.length / 2, clip.at + clip.length)
  if (begin >= end) return
  const bytes = Buffer.alloc((end - begin) * channels * floatBytes)
  const position = dataStart + (begin - clip.at) * channels * floatBytes
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, position)
  const decoded = new Float32Array(bytes.buffer, 0, Math.floor(bytesRead / floatBytes))
  const right = channels - 1
  const place = (begin - at) * 2
  for (let i = 0; i * channels + right < decoded.length; i += 1) {
    const gain = gainAt(begin + i, clip)
    sum[place + i * 2] = (sum[place + i * 2] ?? 0) + (decoded[i * channels] ?? 0) * gain
    sum[place + i * 2 + 1] =
      (sum[place + i * 2 + 1] ?? 0) + (decoded[i * channels + right] ?? 0) * gain
  }
}

/**
 * Returns the volume at a sample. Fades are linear, as in ffmpeg's acrossfade: the two gains of a
 * cross-fade add up to 1, so it is never louder than both its sides, and the limiter stays idle.
 */
function gainAt(sample: number, { volume, fades }: AudioClip): number {
  let gain = volume
  for (const fade of fades) gain *= fadeAt(sample, fade)
  return gain
}

function fadeAt(sample: number, { way, at, length }: Fade): number {
  const done = Math.min(1, Math.max(0, (sample - at) / length))
  return way === 'in' ? done : 1 - done
}
