/**
 * Runs in the sandbox: decodes one picture after the other until no more requests come. The worker
 * never decodes strangers' files in its own process.
 *
 * A request on stdin has the length of a JSON text (32 bits, little-endian), the text (a
 * `DecodeRequest`), and the bytes of the picture. The pixels go to the beginning of the file that
 * is open as `tray`; then a JSON line on stdout describes them. It opens no file and names none.
 */
import { ftruncateSync, readSync, writeSync } from 'node:fs'
import sharp from 'sharp'
import { decodePicture, type Preparation } from './decode-picture.ts'
import { pixelHeader } from './pixel-file.ts'

export type DecodeRequest = Preparation & { readonly bytes: number }

const [stdin, stdout, tray] = [0, 1, 3]

sharp.concurrency(1)
sharp.cache(false)
for (let head = readWhole(4); head; head = readWhole(4)) {
  const text = readWhole(head.readUInt32LE(0))
  const { bytes, ...preparation }: DecodeRequest = JSON.parse(String(text))
  const picture = readWhole(bytes)
  if (!picture) break
  writeWhole(stdout, Buffer.from(`${JSON.stringify(await decode(picture, preparation))}\n`))
}

async function decode(picture: Buffer, preparation: Preparation): Promise<object> {
  try {
    const { raw, ...facts } = await decodePicture(picture, preparation)
    ftruncateSync(tray, 0)
    writeWhole(tray, pixelHeader(facts), 0)
    writeWhole(tray, raw, pixelHeader(facts).length)
    return facts
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Reads exactly this many bytes. Undefined: the worker has gone, or has no more requests. */
function readWhole(bytes: number): Buffer | undefined {
  const whole = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; ) {
    const more = readSync(stdin, whole, at, bytes - at, null)
    if (more === 0) return undefined
    at += more
  }
  return whole
}

function writeWhole(file: number, bytes: Buffer, position: number | null = null): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at)
  }
}
