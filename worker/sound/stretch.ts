import { open } from 'node:fs/promises'
import { createTempo } from './tempo.ts'
import { floatBytes, openWav, wavHead } from './wav.ts'

/** Samples per block: the event loop runs in between. */
const blockSamples = 4_800

/** Writes a WAV at another tempo and the same pitch, `length` samples a channel. Returns its path. */
export async function stretchWav(
  file: string,
  { speed, length }: { speed: number; length: number },
): Promise<string> {
  const stretched = `${file}-stretched`
  const { handle, channels, dataStart } = await openWav(file)
  const output = await open(stretched, 'w')
  try {
    const tempo = createTempo({ speed, channels, length })
    const write = async (samples: Float32Array) => {
      if (samples.length === 0) return
      await output.writeFile(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
    }
    await output.writeFile(wavHead(channels))
    for (let at = dataStart; ; at += blockSamples * channels * floatBytes) {
      const bytes = Buffer.alloc(blockSamples * channels * floatBytes)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, at)
      const whole = Math.floor(bytesRead / (channels * floatBytes)) * channels
      await write(tempo.push(new Float32Array(bytes.buffer, bytes.byteOffset, whole)))
      if (bytesRead < bytes.length) break
    }
    await write(tempo.end())
    return stretched
  } finally {
    await Promise.all([handle.close(), output.close()])
  }
}
