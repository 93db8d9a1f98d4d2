import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { Failure, usage } from '../failure.ts'
import { isObject, type RequestFile } from './project-file.ts'

/** Path of the output: as given, in the given folder, or in the current one. */
export function outputPath(
  { file, output }: { file: string; output?: string },
  { payload, overrides }: RequestFile,
): string {
  const overridden = isObject(overrides) ? overrides.outputFormat : undefined
  const fallback = payload.type === 'image' ? 'png' : 'mp4'
  const format = String(overridden ?? payload.outputFormat ?? fallback)
  const name = `${basename(file).replace(/\.json$/i, '')}.${format}`
  if (output === undefined) return name
  const isFolder =
    output.endsWith('/') || statSync(output, { throwIfNoEntry: false })?.isDirectory()
  return isFolder ? join(output, name) : output
}

/**
 * Refuses an extension that contradicts the file's format. A name without an extension stays.
 * @throws Failure for an extension that does not fit
 */
export function checkEnding(
  output: string,
  { type, outputFormat }: Pick<ResolvedProject, 'type' | 'outputFormat'>,
): void {
  const ending = extname(output).slice(1).toLowerCase()
  // "launch-v1.2" has none.
  if (!/^[a-z]/.test(ending)) return
  const isJpeg = outputFormat === 'jpg' || outputFormat === 'jpeg'
  const fitting = isJpeg ? ['jpg', 'jpeg'] : [outputFormat]
  if (fitting.includes(ending)) return
  const kind = type === 'image' ? 'still' : 'film'
  const endings = fitting.map((each) => `.${each}`).join(' or ')
  const rule = `--output must end in ${endings}, as this ${kind} has the outputFormat ${outputFormat}`
  throw usage(`${rule}. Got ${output}`)
}

/**
 * Makes the folder of `output`, before anything is rendered for it, and returns `output`.
 * @throws Failure when it is not writable
 */
export function prepareOutput(output: string): string {
  try {
    makeFolder(dirname(output))
    accessSync(dirname(output), constants.W_OK)
    if (statSync(output, { throwIfNoEntry: false })?.isDirectory()) throw new Error('a folder')
  } catch (cause) {
    const why = (cause as Error).message.replace(/^E[A-Z]+: |, (mkdir|stat|access) .*$/g, '')
    throw new Failure(`${output} must be a file that can be written. Got ${why}`, { cause })
  }
  return output
}

/**
 * One by one: with `recursive`, Node tries for ever under folders that take none, such as /proc.
 */
function makeFolder(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory()) return
  if (there) throw new Error(`${path}, which is a file`)
  makeFolder(dirname(path))
  mkdirSync(path)
}
