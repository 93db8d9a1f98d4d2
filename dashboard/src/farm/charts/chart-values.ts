import { bytes, count, duration } from '../../words/format.ts'
import type { Reply } from '../api/reply.ts'

export type ChartFacts =
  Reply<'GET /api/operator/charts'>['groups'][number]['rows'][number]['charts'][number]
export type ChartValues = Reply<'GET /api/operator/charts/{chart}'>

type Value = number | null

const nothing = '–'

const formats: Readonly<Record<string, (value: number) => string>> = {
  s: (value) => (value > 0 && value < 1 ? `${rounded(value * 1000)} ms` : duration(value)),
  bytes,
  percentunit: (value) => `${Math.round(value * 100)} %`,
  ops: (value) => `${rounded(value)}/s`,
  reqps: (value) => `${rounded(value)}/s`,
}

/** Returns what writes values of a unit in Grafana's names; null is a dash. */
export function formatOf(unit: string): (value: Value) => string {
  const format = formats[unit] ?? rounded
  return (value) => (value === null ? nothing : format(value))
}

const rounded = (value: number) =>
  Math.abs(value) >= 100 ? count(Math.round(value)) : count(Number(value.toPrecision(3)))

export function latestOf(values: readonly Value[]): Value {
  return values.findLast((value) => value !== null) ?? null
}

export function mostOf(values: readonly Value[]): Value {
  return values.reduce(
    (most, value) => (value !== null && value > (most ?? value - 1) ? value : most),
    null,
  )
}

/** Returns the places of values that have none before and none after them: they are no line. */
export function aloneAt(values: readonly (Value | undefined)[]): readonly number[] {
  const isThere = (at: number) => typeof values[at] === 'number'
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1))
}

/** Adds each line to those below it. A missing value adds nothing. */
export function stacked(lines: readonly (readonly Value[])[]): readonly (readonly number[])[] {
  let below: readonly number[] = []
  return lines.map((line) => {
    below = line.map((value, i) => (below[i] ?? 0) + (value ?? 0))
    return below
  })
}
