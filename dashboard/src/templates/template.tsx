import { useLocation, useRoute } from 'preact-iso'
import type { Template } from '../../../client/farm-client.ts'
import type { Command } from '../commands/texts.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Copy } from '../ui/copy.tsx'
import { Json } from '../ui/json.tsx'
import { Card, Page, Shown } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { archive } from './archive.ts'
import { PaintedPicture } from './template-picture.tsx'
import { readVariables, variablesOf } from './variables.ts'

/** A template: its variables as a form that renders, its project, what can be done with it. */
export function TemplatePage() {
  const { id = '' } = useRoute().params as { id?: string }
  const template = useLoaded((signal) => farm.templates.get(id, { signal }), [id])
  return (
    <Shown of={template}>
      {(shown) => <ShownTemplate template={shown} reload={template.reload} />}
    </Shown>
  )
}

function ShownTemplate({ template, reload }: { template: Template; reload: () => void }) {
  const { route } = useLocation()
  const { id } = template
  const [isBusy, during] = useBusy()
  const setArchived = () => archive(template, reload)
  const duplicate = async () => {
    const made = await act(() => farm.templates.duplicate(id), 'The copy is made.')
    if (made) route(`/templates/${made.id}`)
  }
  const text = JSON.stringify(template.payload, null, 2)
  return (
    <Page
      title={template.name}
      lead={
        <>
          {template.description && <span dir="auto">{template.description}, </span>}changed{' '}
          <Time at={template.updatedAt} />
        </>
      }
      commands={() => commandsOf(template)}
      actions={
        <>
          <a class="button" href={`/editor?template=${id}`}>
            Edit
          </a>
          {!template.archived && (
            <a class="button" href={`/bulks/new?template=${id}`}>
              Make a bulk
            </a>
          )}
          <button type="button" aria-disabled={isBusy} onClick={() => during(duplicate)}>
            Duplicate
          </button>
          <button type="button" aria-disabled={isBusy} onClick={() => during(setArchived)}>
            {template.archived ? 'Bring back' : 'Archive'}
          </button>
          <a class="button" href={`/jobs?templateId=${id}`}>
            Its jobs
          </a>
        </>
      }
    >
      {!template.archived && (
        <div class="template-picture">
          <PaintedPicture key={template.updatedAt} template={template} />
        </div>
      )}
      {!template.archived && <RenderForm template={template} />}
      <Card title="Project" aside={<Copy text={text} label="Copy JSON" />}>
        <Json text={text} label="JSON of the project" />
      </Card>
    </Page>
  )
}

function commandsOf({ id, archived, payload }: Template): readonly Command[] {
  const variables = Object.fromEntries(variablesOf(payload).map(({ name, value }) => [name, value]))
  const body = { archived: !archived }
  return [
    ...(archived
      ? [{ action: 'unarchiveTemplate', id, body } as const]
      : [
          { action: 'renderTemplate', body: { template: id, variables } } as const,
          { action: 'archiveTemplate', id, body } as const,
        ]),
    { action: 'duplicateTemplate', id },
    { action: 'showTemplate', id },
  ]
}

function RenderForm({ template }: { template: Template }) {
  const { route } = useLocation()
  const [isBusy, during] = useBusy()
  const variables = variablesOf(template.payload)
  const render = async (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    await during(async () => {
      const made = await act(
        () => farm.templates.render(template.id, { variables: readVariables(variables, given) }),
        'It renders.',
      )
      if (made) route(`/jobs/${made.jobId}`)
    })
  }
  return (
    <Card title="Render it">
      <form class="fields" onSubmit={render}>
        {variables.map(({ name, value, isText }) => (
          <label key={name}>
            {name}
            <input name={name} defaultValue={isText ? String(value) : JSON.stringify(value)} />
          </label>
        ))}
        {variables.length === 0 && <p class="quiet">The template has no variables.</p>}
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Render
        </button>
      </form>
    </Card>
  )
}
