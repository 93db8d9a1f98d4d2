import type { ExplainedTimes, Spent } from './spent-times.ts'

const labelColumns = 26

/** Formats an explanation as lines of a terminal. */
export function explainedLines(times: ExplainedTimes): string[] {
  const { seconds, stages, steps, slowFrames, slowElements, againSeconds, advice } = times
  return [
    `Time: ${seconds.toFixed(1)} s`,
    ...stages.map(lineOf),
    ...(steps.length > 0 ? ['', 'Work of the machines'] : []),
    ...steps.map(lineOf),
    ...(againSeconds > 0 ? [`  ${againSeconds.toFixed(1)} s were done again`] : []),
    ...(slowFrames.length > 0 ? ['', 'Slowest frames'] : []),
    ...slowFrames.map((frame) => `  ${frameWords(frame)}`),
    ...(slowElements.length > 0 ? ['', 'Slowest elements'] : []),
    ...slowElements.map((element) => `  ${element.field}: ${elementWords(element)}`),
    '',
    advice,
  ]
}

function lineOf({ label, seconds, share }: Spent): string {
  const percent = `${Math.round(share * 100)} %`
  return `  ${label.padEnd(labelColumns)}${seconds.toFixed(1).padStart(8)} s${percent.padStart(7)}`
}

/** Returns `frame 97 at 3.2 s: 240 ms, mostly paint`. */
export function frameWords({
  frame,
  second,
  milliseconds,
  mostly,
}: Omit<ExplainedTimes['slowFrames'][number], 'elements'>): string {
  const at = second === null ? '' : ` at ${second.toFixed(1)} s`
  return `frame ${frame}${at}: ${Math.round(milliseconds)} ms, mostly ${words[mostly]}`
}

const words = { sources: 'loading', paint: 'painting', encode: 'encoding' } as const

export function elementWords({
  fetchSeconds,
  slowFrames,
}: ExplainedTimes['slowElements'][number]): string {
  return [
    ...(fetchSeconds === null ? [] : [`fetched in ${fetchSeconds.toFixed(1)} s`]),
    ...(slowFrames === 0 ? [] : [`in ${slowFrames} of the slowest frames`]),
  ].join(', ')
}
