import type { RenderPayload, RenderRequest } from '../../../client/farm-client.ts'
import type { Command } from '../commands/texts.ts'
import type { Draft } from './draft.ts'
import { projectIn, withVariables } from './form.ts'
import type { Source } from './source.ts'

/** Returns the editor's acts on the project as it stands. */
export function editorCommands(draft: Draft, { template, title }: Source): readonly Command[] {
  const body = requestOf(draft)
  const { payload, ...others } = body
  const project = Object.keys(others).length > 0 ? body : payload
  const stored = projectIn(textToSave(draft))
  return [
    { action: 'render', body, project },
    { action: 'validate', body, project },
    { action: 'preview', body, project },
    ...(template
      ? [{ action: 'changeTemplate', id: template.id, body: { payload: stored } } as const]
      : []),
    { action: 'createTemplate', body: { name: title, payload: stored } },
    { action: 'upload', file: 'photo.jpg' },
  ]
}

export function requestOf({ text, variables, overrides }: Draft): RenderRequest {
  return {
    payload: projectIn(text) as RenderPayload,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(Object.keys(overrides).length > 0 && { overrides }),
  }
}

/** Returns the text to save: the form's values become the project's own. */
export const textToSave = ({ text, variables }: Draft) => withVariables(text, variables)
