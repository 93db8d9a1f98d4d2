import { open } from 'node:fs/promises'

/**
 * All bytes of a file, in one go. Node's own `readFile` asks for half a megabyte at a time and waits for its turn after
 * each: tens of milliseconds for a photograph's pixels while frames are painted.
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
