import { caller, farm } from '../session/farm.ts'
import type { Opened } from './draft.ts'
import type { Values } from './form.ts'

/** Template, job, example or text that the editor was opened with. */
export type Source = {
  readonly text: string
  readonly variables: Values
  readonly overrides: Values
  /** Template that is edited: its changes can be saved. */
  readonly template?: { readonly id: string; readonly name: string }
  readonly title: string
}

export async function openSource(opened: Opened, signal: AbortSignal): Promise<Source> {
  const { template, job, example } = opened
  if (template) return await openTemplate(template, signal)
  if (job) return await openJob(job, signal)
  if (example) {
    const project = await readJson<{ name?: string }>(
      `GET /api/library/examples/${encodeURIComponent(example)}/content`,
      { signal },
    )
    return { ...plain(project), title: project.name ?? example }
  }
  return { ...plain(firstProject), title: 'New project' }
}

async function openTemplate(id: string, signal: AbortSignal): Promise<Source> {
  const { name, payload } = await farm.templates.get(id, { signal })
  return { ...plain(payload), title: name, template: { id, name } }
}

type Sent = {
  readonly payload?: { readonly name?: string }
  readonly template?: string
  readonly variables?: Values
  readonly overrides?: Values
}

/** Opens the request of a job, to render it again with changes. */
async function openJob(id: string, signal: AbortSignal): Promise<Source> {
  const sent = await readJson<Sent>('GET /api/jobs/{id}/request', { id, signal })
  const { variables = {}, overrides = {} } = sent
  const given = { variables, overrides }
  if (sent.payload) {
    return { ...plain(sent.payload), ...given, title: sent.payload.name || 'Untitled' }
  }
  const { name, payload } = await farm.templates.get(sent.template ?? '', { signal })
  return { ...plain(payload), ...given, title: name }
}

async function readJson<T>(
  route: string,
  sent: { readonly id?: string; readonly signal: AbortSignal },
): Promise<T> {
  return await caller.fetch<T>(route, sent, (response) => response.json())
}

function plain(project: unknown) {
  return { text: JSON.stringify(project, null, 2), variables: {}, overrides: {} }
}

/** A project to begin with: small, and of the parts that most films have. */
const firstProject = {
  name: 'hello',
  resolution: 'hd',
  backgroundColor: '#0f172a',
  variables: { headline: 'Hello, world' },
  scenes: [
    {
      duration: 3,
      transition: 'fade',
      visuals: [
        {
          type: 'TEXT',
          text: '{{ headline }}',
          position: 'center-center',
          enterEnd: 0.6,
          enterAnimation: 'slideup',
          style: { fontFamily: 'Sora', fontSize: '96px', fontWeight: 700, color: '#ffffff' },
        },
      ],
    },
    {
      duration: 2,
      backgroundColor: '#0f766e',
      visuals: [
        {
          type: 'TEXT',
          text: 'Change a word, and see it',
          position: 'center-center',
          style: { fontFamily: 'Inter', fontSize: '56px', color: '#ffffff' },
        },
      ],
    },
  ],
}
