import { open } from 'node:fs/promises'
import { trackOf } from '../../runtime/mp4/boxes.ts'
import { delayOf, readSampleTable } from '../../runtime/mp4/sample-table.ts'
import { readMoov } from './movie-box.ts'

/** Reads the delay of a file's pictures (`delayOf`), frames. The file's clock ticks once a frame. */
export async function readDelay(file: string): Promise<number> {
  const handle = await open(file)
  try {
    const { moov } = await readMoov(handle)
    return delayOf(readSampleTable(trackOf(moov, 'vide')))
  } finally {
    await handle.close()
  }
}
