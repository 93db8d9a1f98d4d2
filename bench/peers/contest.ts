import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkRequest } from './workloads.ts'

const run = promisify(execFile)

/** One who does the work that the farm does. */
export type Peer = {
  readonly name: string
  /** Once, before its first run. */
  readonly prepare?: () => Promise<unknown>
  /** Fills an empty folder with what is wanted: by `outputFile`. */
  readonly run: (into: string) => Promise<unknown>
  /** Once, after its last run. */
  readonly tidy?: () => Promise<unknown>
}

/** A piece of work for the farm and for its peers. */
export type Contest = {
  readonly name: string
  readonly isStill: boolean
  /** `address`: from where the farm gets a file. */
  readonly request: (address: (file: string) => string) => WorkRequest
  /** First of all who does it by hand: what the others' outputs are compared with. */
  readonly peers: readonly Peer[]
}

/** Where output number `index`, from 0, is to lie. */
export function outputFile(into: string, index: number, { isStill }: { isStill: boolean }): string {
  return join(into, `${String(index).padStart(3, '0')}.${isStill ? 'png' : 'mp4'}`)
}

/** Without a word, unless it fails. */
export async function ffmpeg(words: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...words])
}
