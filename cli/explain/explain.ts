import { type Outline, outlineOf } from '../../core/plan/outline.ts'
import { creditText, warningLines } from '../render/validate.ts'
import {
  inOrder,
  printJson,
  type ValidateOptions,
  validateProjectFile,
} from '../render/validate-file.ts'
import { explainFrame } from './explain-frame.ts'
import { ganttLines } from './gantt.ts'

export type ExplainOptions = ValidateOptions & { readonly frame?: number }

/** `farm explain`: shows the resolved project, as text or as JSON. @throws Failure */
export function explainFile(options: ExplainOptions): void {
  if (options.frame !== undefined) {
    printJson(explainFrame(options, options.frame))
    return
  }
  const validated = validateProjectFile(options)
  const resolution = inOrder(validated, options)
  const outline = outlineOf(resolution, validated)
  if (options.json) {
    const payload = withPaths(resolution.payload, validated.pathOf)
    printJson({ valid: true, ...outline, payload })
    return
  }
  const width = Math.min(widest, Math.max(narrowest, process.stdout.columns ?? usualWidth))
  const lines = [
    ...headLines(outline),
    '',
    ...ganttLines(outline, width),
    ...(outline.warnings.length > 0 ? ['', ...warningLines(outline.warnings)] : []),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Limits of the columns used in a terminal; without a terminal, `usualWidth`. */
const narrowest = 72
const usualWidth = 100
const widest = 140

function headLines(outline: Outline): string[] {
  const { name, type, width, height, frameRate, outputFormat, frames, segments, exact } = outline
  const size = `${width}x${height}`
  const price = `${exact ? '' : 'up to '}${creditText(outline.credits)}`
  if (type === 'image') return [`${name}: a still, ${size}, ${outputFormat}`, `  ${price}`]
  const cut = segments.length === 1 ? '1 segment' : `${segments.length} segments`
  const open = exact ? '' : ' or longer: a sound or clip that is not read yet decides'
  return [
    `${name}: a film, ${size}, ${frameRate} fps, ${outputFormat}`,
    `  ${round(outline.seconds)} s${open}, ${frames} frames in ${cut}, ${price}`,
  ]
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100
}

/** Restores the paths of local files in the payload. */
function withPaths(value: unknown, pathOf: (url: string) => string): unknown {
  if (typeof value === 'string') return pathOf(value)
  if (Array.isArray(value)) return value.map((item) => withPaths(item, pathOf))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withPaths(inner, pathOf)])
  return Object.fromEntries(entries)
}
