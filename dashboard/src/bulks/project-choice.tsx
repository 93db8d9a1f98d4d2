import { useEffect, useState } from 'preact/hooks'
import { isTooDeep, nestingRule } from '../editor/nesting.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { Fault } from '../ui/parts.tsx'

/** Project that a bulk renders: a template by its id, an example or a file by its payload. */
export type Project = {
  readonly name: string
  readonly templateId?: string
  readonly example?: string
  readonly payload: Record<string, unknown>
}

const templatesMost = 100

export function ProjectChoice({
  wanted,
  chosen,
  onChoose,
}: {
  /** Template or example that the address names, as `template ID` or `example SLUG`. */
  wanted: string | undefined
  chosen: Project | undefined
  onChoose: (project: Project) => void
}) {
  const templates = useLoaded(
    (signal) => caller.ask('GET /api/templates', { signal, query: { pageSize: templatesMost } }),
    [],
  )
  const examples = useLoaded(
    (signal) => caller.ask('GET /api/library/{kind}', { id: 'examples', signal }),
    [],
  )
  const [fault, setFault] = useState<Error>()
  const choose = async (value: string) => {
    const [kind, id = ''] = value.split(' ')
    if (id === '') return
    try {
      onChoose(kind === 'template' ? await templateOf(id) : await exampleOf(id))
      setFault(undefined)
    } catch (error) {
      setFault(error as Error)
    }
  }
  useEffect(() => {
    if (wanted) void choose(wanted)
  }, [wanted])
  const readFile = async (file: File | undefined) => {
    if (!file) return
    try {
      const text = await file.text()
      if (isTooDeep(text)) throw new Error(nestingRule)
      onChoose({ name: file.name, payload: payloadOf(JSON.parse(text)) })
      setFault(undefined)
    } catch (error) {
      setFault(new Error(`${file.name} must be a project in JSON: ${(error as Error).message}`))
    }
  }
  return (
    <div class="fields">
      <label>
        Template or example
        <select
          value={chosen && optionOf(chosen)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">Choose one</option>
          <optgroup label="Templates">
            {templates.data?.templates.map(({ id, name }) => (
              <option key={id} value={`template ${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label="Examples">
            {examples.data?.items.map(({ slug, title }) => (
              <option key={slug} value={`example ${slug}`}>
                {title}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <label>
        or a project file
        <input
          type="file"
          accept=".json,application/json"
          onChange={(event) => readFile(event.currentTarget.files?.[0])}
        />
      </label>
      {fault && <Fault error={fault} />}
      {chosen && (
        <p class="quiet">
          Chosen: <strong dir="auto">{chosen.name}</strong>
        </p>
      )}
    </div>
  )
}

async function templateOf(id: string): Promise<Project> {
  const { name, payload } = await farm.templates.get(id)
  return { name, templateId: id, payload: { ...payload } }
}

async function exampleOf(slug: string): Promise<Project> {
  const payload = await caller.fetch<Record<string, unknown>>(
    `GET /api/library/examples/${slug}/content`,
    {},
    (response) => response.json(),
  )
  return { name: slug, example: slug, payload }
}

/** Returns the option of a project; undefined for a file, which has none. */
function optionOf({ templateId, example }: Project): string | undefined {
  if (templateId) return `template ${templateId}`
  return example && `example ${example}`
}

/** Returns the project of a file, which may hold it by itself or as the payload of a request. */
function payloadOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Error('Got no object')
  const { $schema: _, ...project } = body as Record<string, unknown>
  const { payload } = project
  return typeof payload === 'object' && payload !== null
    ? (payload as Record<string, unknown>)
    : project
}
