import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { parse } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileNameIn } from '../../client/file-name.ts'
import { plainFileName } from '../../store/objects/output-links.ts'
import { Failure } from '../failure.ts'

/**
 * Downloads `url` to `file`, or to what it answers to the response; an incomplete file never has that
 * name. @returns the file
 */
export async function download(
  url: string,
  file: string | ((response: Response) => string),
): Promise<string> {
  const response = await fetch(url)
  if (!response.ok) throw new Failure(`the file cannot be fetched: HTTP ${response.status}`)
  const name = typeof file === 'string' ? file : file(response)
  await saveResponse(response, name)
  return name
}

/** Saves the body of a response; an incomplete file never has that name. */
export async function saveResponse({ body }: Response, file: string): Promise<void> {
  const unfinished = `${file}.unfinished`
  try {
    const bytes = body === null ? Readable.from([]) : Readable.fromWeb(body)
    await pipeline(bytes, createWriteStream(unfinished))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Returns the name that the farm gave a file, fit for any file system. */
export function nameOf({ headers, url }: Response): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  const { name, ext } = parse(fileNameIn(headers.get('content-disposition') ?? '') ?? last)
  return `${plainFileName(name)}${/^\.\w{1,5}$/.test(ext) ? ext : ''}`
}
