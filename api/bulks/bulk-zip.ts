import { finished, type PassThrough, type Readable } from 'node:stream'
import { ZipFile } from 'yazl'

export type ZippedFile = {
  readonly name: string
  readonly key: string
  readonly bytes: number
  readonly modified: Date
}

/**
 * Streams files as a ZIP, one after the other as its reader takes them. Films are compressed already,
 * so they are stored as they are, and the length is known in advance. A file that is missing, breaks
 * off or has another length destroys the stream: a ZIP that ends well is whole.
 */
export function zipFiles(
  files: readonly ZippedFile[],
  openFile: (key: string) => Promise<Readable>,
): { readonly stream: Readable; readonly bytes: number } {
  const zip = new ZipFile()
  const stream = zip.outputStream as PassThrough
  const fail = (error: Error) => stream.destroy(error)
  zip.on('error', fail)
  let source: Readable | undefined
  // A reader that goes away leaves no file open.
  stream.once('close', () => source?.destroy())
  for (const { name, key, bytes: size, modified: mtime } of files) {
    zip.addReadStreamLazy(name, { compress: false, size, mtime }, (pass) => {
      openFile(key).then((opened) => {
        source = opened
        if (stream.destroyed) opened.destroy()
        finished(opened, (error) => error && fail(error))
        pass(null, opened)
      }, fail)
    })
  }
  let bytes = -1
  const onTotal = (total: number) => {
    bytes = total
  }
  // Its types leave the argument out.
  zip.end(undefined, onTotal as () => void)
  if (bytes < 0) throw new Error('The length of a ZIP of stored files must be known')
  return { stream, bytes }
}
