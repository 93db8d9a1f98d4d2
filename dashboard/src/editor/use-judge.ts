import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { PlanName } from '../../../core/accounts/plans.ts'
import { openWorker } from '../judge/worker-port.ts'
import { hostsIn } from '../words/hosts-in.ts'
import type { Values } from './form.ts'
import type { Judgement } from './judge.ts'

type Judged = {
  readonly text: string
  readonly variables: Values
  readonly overrides: Values
  readonly plan: PlanName
}

type Answer = { readonly key: string; readonly text: string; readonly judgement: Judgement }

/** Time after the last key until the text is judged. */
const restMs = 50

/** Judges in a worker, offline. `isFresh` is false while the judgement is that of an older text. */
export function useJudge({ text, variables, overrides, plan }: Judged) {
  const worker = useMemo(openWorker, [])
  useEffect(() => () => worker.end(), [])
  const key = JSON.stringify([text, variables, overrides])
  const [judged, setJudged] = useState<Answer>()
  const [fault, setFault] = useState<Error>()
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isGone = false
    const timer = setTimeout(async () => {
      const trustedHosts = hostsIn(text + JSON.stringify([variables, overrides]))
      try {
        const judgement = await worker.judge({ text, variables, overrides, plan, trustedHosts })
        if (isGone) return
        setJudged({ key, text, judgement })
        setFault(undefined)
      } catch (error) {
        if (!isGone)
          setFault(new Error(`The text could not be judged: ${(error as Error).message}.`))
      }
    }, restMs)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [key, turn])
  const judgeAgain = useCallback(() => setTurn((before) => before + 1), [])
  return {
    /** Reason for which the text could not be judged. */
    fault,
    judgeAgain,
    judgement: judged?.judgement,
    /** The text that was judged. */
    judged: judged?.text ?? '',
    isFresh: judged?.key === key,
    ask: worker.ask,
  }
}
