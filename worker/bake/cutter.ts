import { createSideThread } from '../process/side-thread.ts'
import type { Cut, CutRequest } from './cut.ts'

/** Cuts the browser's pictures on a thread of its own. A failure is a FarmError `internal`. */
export type Cutter = {
  cut: (request: CutRequest) => Promise<readonly Cut[]>
  /** Rejects all pending cuts. */
  close: () => Promise<void>
}

export function createCutter(): Cutter {
  const program = new URL('cutter.thread.ts', import.meta.url)
  const { ask, close } = createSideThread<CutRequest, readonly Cut[]>(program)
  return { cut: (request) => ask(request), close }
}
