import { useEffect, useState } from 'preact/hooks'
import type { RenderPayload } from '../../../client/farm-client.ts'
import { farm } from '../session/farm.ts'
import { projectIn, type Values } from './form.ts'

/** Picture of a moment, painted by the farm as the render would paint it. */
export type Picture = {
  readonly address: string
  readonly time: number | undefined
  readonly width: number
  readonly height: number
  /** Frame's place on the picture, px. */
  readonly frame: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
}

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

export function usePicture({ text, variables, overrides, time, isRight }: Wanted) {
  const [picture, setPicture] = useState<Picture>()
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
        const { image, width, height, frameWidth, frameHeight, frames } = sheet
        const { time: shown, x = 0, y = 0 } = frames[0] ?? {}
        const frame = { x, y, width: frameWidth, height: frameHeight }
        setPicture({
          address: dataAddress(image),
          time: time === undefined ? time : shown,
          width,
          height,
          frame,
        })
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

/** The policy of the pages admits pictures by `data:`, and none by `blob:`. */
function dataAddress(image: Uint8Array): string {
  let letters = ''
  for (const byte of image) letters += String.fromCharCode(byte)
  return `data:image/jpeg;base64,${btoa(letters)}`
}
