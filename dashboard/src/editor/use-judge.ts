import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PlanName } from '../../../core/accounts/plans.ts'
import { toast } from '../ui/toast.tsx'
import { hostsIn } from '../words/hosts-in.ts'
import type { Values } from './form.ts'
import type { Judgement } from './judge.ts'
import { openWorker } from './worker-port.ts'

type Judged = {
  readonly text: string
  readonly variables: Values
  readonly overrides: Values
  readonly plan: PlanName
}

type Answer = { readonly key: string; readonly text: string; readonly judgement: Judgement }

/** Time after the last key until the text is judged. */
const restMs = 100

/** Judges in a worker, offline. `isFresh` is false while the judgement is that of an older text. */
export function useJudge({ text, variables, overrides, plan }: Judged) {
  const worker = useMemo(openWorker, [])
  useEffect(() => () => worker.end(), [])
  const key = JSON.stringify([text, variables, overrides])
  const [judged, setJudged] = useState<Answer>()
  useEffect(() => {
    let isGone = false
    const timer = setTimeout(async () => {
      const trustedHosts = hostsIn(text + JSON.stringify([variables, overrides]))
      try {
        const judgement = await worker.judge({ text, variables, overrides, plan, trustedHosts })
        if (!isGone) setJudged({ key, text, judgement })
      } catch (error) {
        toast(`The text could not be judged: ${error instanceof Error ? error.message : error}`)
      }
    }, restMs)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [key])
  return {
    judgement: judged?.judgement,
    /** The text that was judged. */
    judged: judged?.text ?? '',
    isFresh: judged?.key === key,
    ask: worker.ask,
  }
}
