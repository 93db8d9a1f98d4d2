import { styleText } from 'node:util'
import type { Verdict } from './chaos.ts'

const shownAtMost = 5

/** Formats the verdict as a short summary. */
export function writeReport({ checks, figures, logs }: Verdict): string {
  const wide = Math.max(...checks.map(({ promise }) => promise.length))
  const lines = checks.flatMap(({ promise, tested, broken }) => {
    const mark = broken.length === 0 ? styleText('green', 'kept  ') : styleText('red', 'BROKEN')
    const count = broken.length === 0 ? String(tested) : `${broken.length} of ${tested}`
    const shown = broken.slice(0, shownAtMost).map((each) => `           ${each}`)
    const more = broken.length - shown.length
    return [
      `  ${mark}  ${promise.padEnd(wide)}  ${count}`,
      ...shown,
      ...(more > 0 ? [`           and ${more} more`] : []),
    ]
  })
  const failed = checks.filter(({ broken }) => broken.length > 0).length
  const verdict =
    failed === 0
      ? styleText('green', `All ${checks.length} promises were kept.`)
      : styleText('red', `${failed} of ${checks.length} promises were broken.`)
  return [
    '',
    ...figures.map(([name, value]) => `  ${name.padEnd(30)}${value}`),
    '',
    ...lines,
    '',
    verdict,
    ...(logs === undefined ? [] : [`The logs of all parts, and the faults, are in ${logs}`]),
  ].join('\n')
}
