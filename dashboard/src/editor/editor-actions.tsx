import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { RenderPayload } from '../../../client/farm-client.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Draft, dropDraft } from './draft.ts'
import { requestOf, textToSave } from './editor-commands.ts'
import { projectIn } from './form.ts'
import type { Source } from './source.ts'

/** Renders and saves. What fails leaves the text as it is. */
export function EditorActions({
  draft,
  saved,
  onSaved,
  place,
  isRight,
}: {
  draft: Draft
  saved: Source
  onSaved: (made: Source) => void
  place: string
  isRight: boolean
}) {
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [isNaming, setNaming] = useState(false)
  const toSave = () => textToSave(draft)
  const doing = async <T,>(what: () => Promise<T>, done: string) => {
    setBusy(true)
    const answer = await act(what, done)
    setBusy(false)
    return answer
  }
  const render = async () => {
    const made = await doing(() => farm.submit(requestOf(draft)), 'It renders.')
    if (made) route(`/jobs/${made.jobId}`)
  }
  const save = async (id: string) => {
    const text = toSave()
    const made = await doing(
      () => farm.templates.change(id, { payload: projectIn(text) as RenderPayload }),
      'The changes are saved.',
    )
    if (made) onSaved({ ...saved, ...draft, text, variables: {} })
  }
  const create = async (given: FormData) => {
    const name = String(given.get('name'))
    const made = await doing(
      () => farm.templates.create({ name, payload: projectIn(toSave()) as RenderPayload }),
      'The template is stored.',
    )
    if (!made) return
    setNaming(false)
    dropDraft(place)
    route(`/editor?template=${made.id}`)
  }
  const { template } = saved
  const isChanged = draft.text !== saved.text || Object.keys(draft.variables).length > 0
  return (
    <>
      <button type="button" class="primary" disabled={!isRight || isBusy} onClick={render}>
        <Icon name="play" size={16} /> Render
      </button>
      {template && (
        <button
          type="button"
          disabled={!isRight || isBusy || !isChanged}
          onClick={() => save(template.id)}
        >
          Save changes
        </button>
      )}
      <button type="button" disabled={!isRight || isBusy} onClick={() => setNaming(true)}>
        Save as template
      </button>
      {isNaming && (
        <FormDialog
          title="Save as template"
          submit="Save"
          onSubmit={create}
          onClose={() => setNaming(false)}
        >
          <label>
            Name
            <input name="name" required maxLength={200} defaultValue={saved.title} />
          </label>
        </FormDialog>
      )}
    </>
  )
}
