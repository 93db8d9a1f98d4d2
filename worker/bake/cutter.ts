import { createSideThread } from '../side-thread.ts'
import type { Cut, CutRequest } from './cut.ts'

/** Takes the browser's pictures apart, on a thread of its own. FarmError `internal` when it cannot. */
export type Cutter = {
  cut: (request: CutRequest) => Promise<readonly Cut[]>
  /** What is being cut fails. */
  close: () => Promise<void>
}

export function createCutter(): Cutter {
  const program = new URL('cutter.thread.ts', import.meta.url)
  const { ask, close } = createSideThread<CutRequest, readonly Cut[]>(program)
  return { cut: (request) => ask(request), close }
}
