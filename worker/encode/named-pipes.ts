import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Both ends of a pipe. */
export type NamedPipe = {
  readonly reader: FileHandle
  readonly writer: FileHandle
  /** To be called when nobody has either end open any more: the next one who opens gets this pipe. */
  giveBack(): void
}

export type NamedPipes = { open(): Promise<NamedPipe> }

/**
 * Pipes in `dir`, which are used again: making one takes a program, and each start of a program copies
 * this process's page tables (5 ms of a core at 400 MB, in which nothing else is done).
 */
export function createNamedPipes(dir: string): NamedPipes {
  const free: string[] = []
  const make = async () => {
    const path = join(dir, randomUUID())
    await mkdir(dir, { recursive: true })
    await run('mkfifo', ['-m', '600', path])
    return path
  }
  return {
    async open() {
      const path = free.pop() ?? (await make())
      // Opened for both ways first, for one end alone waits for the other.
      const both = await open(path, 'r+')
      try {
        const [reader, writer] = [await open(path, 'r'), await open(path, 'w')]
        return { reader, writer, giveBack: () => void free.push(path) }
      } finally {
        await both.close()
      }
    },
  }
}
