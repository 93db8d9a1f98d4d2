import { type FileHandle, open } from 'node:fs/promises'

/** WAV of float32, mono or stereo, 48 kHz: the format of sound on a node's disk between steps. */
export type Wav = {
  readonly handle: FileHandle
  readonly channels: 1 | 2
  /** Byte offset of its samples. */
  readonly dataStart: number
}

export const floatBytes = 4
const headMaxBytes = 512
const rate = 48_000

/** Opens a WAV for reading; the caller closes its handle. @throws Error for anything else */
export async function openWav(file: string): Promise<Wav> {
  const handle = await open(file)
  const head = Buffer.alloc(headMaxBytes)
  const { bytesRead } = await handle.read(head, 0, headMaxBytes, 0)
  const data = head.subarray(0, bytesRead).indexOf('data', 12, 'latin1')
  const channels = data < 0 ? 0 : head.readUInt16LE(22)
  if (channels !== 1 && channels !== 2) {
    await handle.close()
    throw new Error(`A decoded clip must be a mono or stereo WAV. Got ${channels} channels`)
  }
  return { handle, channels, dataStart: data + 8 }
}

/** Returns its header. The length in it is ignored: the samples go on to the file's end. */
export function wavHead(channels: 1 | 2): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(0xffff_ffff, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  // IEEE float.
  head.writeUInt16LE(3, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * channels * floatBytes, 28)
  head.writeUInt16LE(channels * floatBytes, 32)
  head.writeUInt16LE(8 * floatBytes, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(0xffff_ffff, 40)
  return head
}
