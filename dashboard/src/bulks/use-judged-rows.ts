import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { isPlanName, largestPlan, plans } from '../../../core/accounts/plans.ts'
import { type Row, readTable, type TableFault } from '../../../core/bulks/table.ts'
import { hostsIn } from '../words/hosts-in.ts'
import type { Judged } from './judge-rows.ts'
import { type Column, mapLines } from './mapping.ts'
import type { Project } from './project-choice.tsx'

export type JudgedRows = Judged & {
  readonly rows: readonly Row[]
  readonly empty: readonly number[]
  /** False while the rows are still judged, or are those of an older table. */
  readonly isWhole: boolean
  /** Reason for which the rows could not be judged. */
  readonly failure?: Error
}

/** Changes within this time are judged once. */
const restMs = 150
const nothing = {
  common: [],
  faults: [],
  credits: 0,
  creditsMost: 0,
  seconds: 0,
  rows: [],
  empty: [],
}

/**
 * Judges the table by the farm's own rules at each change, or when it is asked again: its cells first,
 * then each row's film.
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
}): { readonly judged: JudgedRows | undefined; readonly judgeAgain: () => void } {
  const [turn, setTurn] = useState(0)
  const [answer, setAnswer] = useState<{ of: readonly unknown[]; judged: JudgedRows }>()
  const present = [project, lines, columns]
  useEffect(() => {
    if (!project || lines.length === 0 || columns.length === 0) return setAnswer(undefined)
    const ending = new AbortController()
    const { signal } = ending
    const setJudged = (judged: JudgedRows) => setAnswer({ of: present, judged })
    const timer = setTimeout(async () => {
      const table = readTable(mapLines(lines, columns), { payload: project.payload })
      if (!table)
        return setJudged({ ...nothing, isWhole: true, common: ['the table needs a row of values'] })
      if ('faults' in table)
        return setJudged({ ...nothing, isWhole: true, faults: named(table.faults, columns) })
      const { rows, empty } = table
      setJudged({ ...nothing, rows, empty, isWhole: false })
      const limits = plans[plan && isPlanName(plan) ? plan : largestPlan]
      const trustedHosts = hostsIn(JSON.stringify([project.payload, rows]))
      try {
        const { judgeRows } = await import('./judge-rows.ts')
        const found = await judgeRows(
          { payload: project.payload, rows },
          { plan: limits, trustedHosts, signal },
        )
        setJudged({ ...found, faults: named(found.faults, columns), rows, empty, isWhole: true })
      } catch {
        if (signal.aborted) return
        const failure = new Error('The rows could not be checked: the farm did not send its rules.')
        setJudged({ ...nothing, rows, empty, isWhole: true, failure })
      }
    }, restMs)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [project, lines, columns, plan, turn])
  const isFresh = answer?.of.every((part, at) => part === present[at]) === true
  const judged = useMemo(
    () => answer && (isFresh ? answer.judged : { ...answer.judged, isWhole: false }),
    [answer, isFresh],
  )
  const judgeAgain = useCallback(() => setTurn((before) => before + 1), [])
  return { judged, judgeAgain }
}

/** Names the file's column in a fault instead of the variable that it fills. */
function named(faults: readonly TableFault[], columns: readonly Column[]): readonly TableFault[] {
  return faults.map((fault) => {
    const column = columns.find(({ variable }) => variable === fault.column)
    return column ? { ...fault, column: column.name } : fault
  })
}
