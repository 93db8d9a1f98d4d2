import { Fault, Progress } from '../ui/parts.tsx'
import { count, counted } from '../words/format.ts'
import type { useRun } from './use-run.ts'

const reasonsShown = 3
/** Words for an act that has found no job by now. */
const words = {
  running: 'Looking for the jobs…',
  stopped: 'Stopped',
  over: 'No such job is left',
}

/** Course of an act on many jobs, with what stops it and goes on with it. */
export function RunBar({
  run: { running, stop, goOn, leave },
}: {
  run: ReturnType<typeof useRun>
}) {
  if (!running) return null
  const { task, run, state, error } = running
  const worked = run.done.size + run.refused.size
  const reasons = new Set(run.refused.values())
  return (
    <section class="bar run" aria-label="Act on many jobs">
      <strong role="status">
        {run.total === 0 ? words[state] : `${count(worked)} of ${counted(run.total, 'job')}`}
        {worked > 0 && `, ${count(run.done.size)} ${task.word}`}
        {run.refused.size > 0 && `, ${count(run.refused.size)} refused`}
      </strong>
      {state === 'running' && (
        <>
          <Progress value={run.total && (worked / run.total) * 100} label="Progress of the act" />
          <button type="button" onClick={stop}>
            Stop
          </button>
        </>
      )}
      {state === 'stopped' && (
        <button type="button" onClick={goOn}>
          Go on
        </button>
      )}
      {state !== 'running' && (
        <button type="button" class="link" onClick={leave}>
          Close
        </button>
      )}
      {error && <Fault error={error} />}
      {[...reasons].slice(0, reasonsShown).map((reason) => (
        <p key={reason} class="bad" dir="auto">
          {reason}
        </p>
      ))}
    </section>
  )
}
