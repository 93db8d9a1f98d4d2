import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { WorkRequest } from './workload.ts'

const run = promisify(execFile)

/** Renderer that competes with the farm. */
export type Peer = {
  readonly name: string
  /** Runs once, before its first run. */
  readonly prepare?: () => Promise<unknown>
  /** Fills an empty folder with the outputs, named by `outputFile`. */
  readonly run: (into: string) => Promise<unknown>
  /** Runs once, after its last run. */
  readonly tidy?: () => Promise<unknown>
}

/** Piece of work for the farm and for its peers. */
export type Contest = {
  readonly name: string
  readonly isStill: boolean
  /** Returns the request. `address`: maps a file to a URL for the farm. */
  readonly request: (address: (file: string) => string) => WorkRequest
  /** Peers; the first works by hand, and the others' outputs are compared with its own. */
  readonly peers: readonly Peer[]
}

/** Returns the path of output number `index`, from 0. */
export function outputFile(into: string, index: number, { isStill }: { isStill: boolean }): string {
  return join(into, `${String(index).padStart(3, '0')}.${isStill ? 'png' : 'mp4'}`)
}

/** Runs ffmpeg silently, unless it fails. */
export async function ffmpeg(args: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args])
}
