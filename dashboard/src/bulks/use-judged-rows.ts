import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { isPlanName, largestPlan } from '../../../core/accounts/plans.ts'
import { openWorker } from '../judge/worker-port.ts'
import type { Judged, ReadRows, TableCourse } from './judge-table.ts'
import type { Column } from './mapping.ts'
import type { Project } from './project-choice.tsx'

export type JudgedRows = Judged &
  ReadRows & {
    /** Rows that are judged so far. */
    readonly done: number
    /** False while the rows are still judged, or are those of an older table. */
    readonly isWhole: boolean
    /** Reason for which the rows could not be judged. */
    readonly failure?: Error
  }

/** Changes within this time are judged once. */
const restMs = 150
const nothing: JudgedRows = {
  ...{ common: [], faults: [], credits: 0, creditsMost: 0, seconds: 0 },
  ...{ rows: [], empty: [], seen: [], done: 0, isWhole: false },
}

/**
 * Reads and judges tables by the farm's own rules, beside the page: at each change, or when it is asked
 * again. Their cells come first, then each row's film.
 */
export function useJudgedRows({
  project,
  lines,
  columns,
  plan,
}: {
  project: Project | undefined
  lines: readonly (readonly string[])[]
  columns: readonly Column[]
  plan: string | undefined
}) {
  const worker = useMemo(openWorker, [])
  useEffect(() => () => worker.end(), [])
  const [turn, setTurn] = useState(0)
  const [answer, setAnswer] = useState<{ of: readonly unknown[]; judged: JudgedRows }>()
  const present = [project, lines, columns]
  useEffect(() => {
    if (!project || lines.length === 0 || columns.length === 0) return setAnswer(undefined)
    const ending = new AbortController()
    const { signal } = ending
    let known = nothing
    const show = (more: Partial<JudgedRows>) => {
      known = { ...known, ...more }
      setAnswer({ of: present, judged: known })
    }
    const timer = setTimeout(async () => {
      const question = {
        ...{ payload: project.payload, lines, columns },
        plan: plan && isPlanName(plan) ? plan : largestPlan,
      }
      const onCourse = (course: TableCourse) => show(course)
      try {
        show({ ...(await worker.judgeTable(question, { signal, onCourse })), isWhole: true })
      } catch {
        if (signal.aborted) return
        const failure = new Error('The rows could not be checked: the farm did not send its rules.')
        show({ isWhole: true, failure })
      }
    }, restMs)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [project, lines, columns, plan, turn])
  const isFresh = answer?.of.every((part, at) => part === present[at]) === true
  const judged = useMemo(
    () => answer && (isFresh ? answer.judged : { ...answer.judged, isWhole: false, done: 0 }),
    [answer, isFresh],
  )
  const judgeAgain = useCallback(() => setTurn((before) => before + 1), [])
  return { judged, judgeAgain, readTable: worker.readTable }
}
