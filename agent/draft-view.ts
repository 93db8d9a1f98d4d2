import type { Project } from '../client/farm-client.ts'
import { type ToolResult, text } from './tool.ts'
import { counted, faultLines, warningLines } from './wording.ts'

type Telling = {
  /** Lines that come first. */
  readonly before?: readonly string[]
  /** Tools that can still mend its faults. */
  readonly mend?: string
}

/** Says a draft's id, version and what is wrong with it. */
export function draftText(
  project: Project,
  { before = [], mend = 'edit_draft or repair_draft' }: Telling = {},
): ToolResult {
  const { id, version, valid, errors, warnings, creditsRequired } = project
  const state = valid
    ? `valid, ${counted(creditsRequired ?? 0, 'credit')}`
    : `${counted(errors.length, 'fault')}:`
  return text(
    ...before,
    `Draft ${id}, version ${version}: ${state}`,
    ...faultLines(errors),
    ...warningLines(warnings),
    valid ? 'Next: preview_project, then quote_render.' : `Next: ${mend}.`,
  )
}
