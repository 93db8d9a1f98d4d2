import { open } from 'node:fs/promises'

/**
 * Reads all bytes of a file in one go. Node's `readFile` reads half a megabyte per turn of the
 * event loop: while frames are painted, a photograph's pixels take tens of milliseconds.
 */
export async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const bytes = Buffer.allocUnsafeSlow(size)
    let read = 0
    while (read < size) {
      const { bytesRead } = await handle.read(bytes, read, size - read, read)
      if (bytesRead === 0) break
      read += bytesRead
    }
    return bytes.subarray(0, read)
  } finally {
    await handle.close()
  }
}
