import { useEffect, useState } from 'preact/hooks'
import type { RenderPayload } from '../../../client/farm-client.ts'
import { farm } from '../session/farm.ts'
import { frameOf, type SheetFrame } from '../ui/sheet-frame.ts'
import { projectIn, type Values } from './form.ts'

type Wanted = {
  readonly text: string
  readonly variables: Values
  readonly overrides: Values
  /** Second of the film; undefined for a still. */
  readonly time: number | undefined
  /** False while the project has faults: the last picture stays. */
  readonly isRight: boolean
}

/** Time after the last key until a picture is asked for. */
const restMs = 400

/** Keeps the farm's own picture of a moment, painted as the render would paint it. */
export function usePicture({ text, variables, overrides, time, isRight }: Wanted) {
  const [picture, setPicture] = useState<SheetFrame>()
  const [error, setError] = useState<Error>()
  const [isPainting, setPainting] = useState(false)
  useEffect(() => {
    if (!isRight) return
    const ending = new AbortController()
    const timer = setTimeout(async () => {
      setPainting(true)
      try {
        const payload = projectIn(text) as RenderPayload
        const request = { payload, variables, overrides, width: pictureWidth, maxBytes }
        const moment = time === undefined ? {} : { times: [time] }
        const sheet = await farm.preview({ ...request, ...moment }, { signal: ending.signal })
        if (ending.signal.aborted) return
        const picture = frameOf(sheet)
        setPicture(time === undefined ? { ...picture, time } : picture)
        setError(undefined)
      } catch (fault) {
        if (!ending.signal.aborted) setError(fault instanceof Error ? fault : new Error(`${fault}`))
      } finally {
        if (!ending.signal.aborted) setPainting(false)
      }
    }, restMs)
    return () => {
      clearTimeout(timer)
      ending.abort()
      setPainting(false)
    }
  }, [text, JSON.stringify([variables, overrides]), time, isRight])
  return { picture, error, isPainting }
}

const pictureWidth = 480
const maxBytes = 100_000
