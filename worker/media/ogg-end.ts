import { open } from 'node:fs/promises'
import { readAt } from '../../runtime/media/sniff.ts'

const oggPageMaxBytes = 65_307

/**
 * Returns whether the last page is present: Ogg claims no length, but flags that page (RFC 3533,
 * header type bit 0x04).
 */
export async function hasOggEnd(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, oggPageMaxBytes)
    const tail = await readAt(handle, { position: size - length, length })
    const page = tail.lastIndexOf('OggS')
    return page >= 0 && ((tail[page + 5] ?? 0) & 0x04) !== 0
  } finally {
    await handle.close()
  }
}
