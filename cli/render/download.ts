import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../failure.ts'

/** Downloads `url` to `file`; an incomplete file never has that name. */
export async function download(url: string, file: string): Promise<void> {
  const unfinished = `${file}.unfinished`
  try {
    const response = await fetch(url)
    if (!response.ok || !response.body) {
      throw new Failure(`the file cannot be fetched: HTTP ${response.status}`)
    }
    await pipeline(Readable.fromWeb(response.body), createWriteStream(unfinished))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
