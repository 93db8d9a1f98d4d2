import { useRef, useState } from 'preact/hooks'
import { notBegun, type Run, runOver } from './run-over.ts'

export type Task = {
  /** As a toast says what was done: "cancelled". */
  readonly word: string
  readonly find: (signal: AbortSignal) => Promise<readonly string[]>
  readonly act: (id: string) => Promise<unknown>
}

export type Running = {
  readonly task: Task
  readonly run: Run
  readonly state: 'running' | 'stopped' | 'over'
  /** Why nothing more could be found. */
  readonly error?: Error
}

/** Runs one act over many jobs at a time: it can be stopped, and gone on with where it was. */
export function useRun(onOver: () => void) {
  const [running, setRunning] = useState<Running>()
  const ending = useRef(new AbortController())

  const go = async (task: Task, from: Run = notBegun) => {
    ending.current = new AbortController()
    const { signal } = ending.current
    setRunning({ task, run: from, state: 'running' })
    const onProgress = (run: Run) => setRunning({ task, run, state: 'running' })
    try {
      const run = await runOver({ ...task, signal, from, onProgress })
      setRunning({ task, run, state: signal.aborted ? 'stopped' : 'over' })
      onOver()
    } catch (error) {
      setRunning((before) => ({
        ...{ task, run: before?.run ?? from, state: 'stopped' as const },
        ...(!signal.aborted && { error: error as Error }),
      }))
    }
  }
  return {
    running,
    start: (task: Task) => go(task),
    goOn: () => running && go(running.task, running.run),
    stop: () => ending.current.abort(),
    leave: () => setRunning(undefined),
  }
}
