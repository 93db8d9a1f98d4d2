import { useLocation } from 'preact-iso'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { Pages, pageOf } from '../ui/pages.tsx'
import { Empty, Page, Shown } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { counted } from '../words/format.ts'
import { TemplateActions } from './template-actions.tsx'
import { TemplatePicture } from './template-picture.tsx'

const pageSize = 100
const firstProject = { variables: { name: 'Ada' }, visuals: [{ type: 'TEXT', text: '{{ name }}' }] }

export function Templates() {
  const { query, route } = useLocation()
  const page = pageOf(query)
  const isArchived = query.archived === 'true'
  const templates = useLoaded(
    (signal) =>
      caller.ask('GET /api/templates', { signal, query: { page, pageSize, archived: isArchived } }),
    [isArchived, page],
  )
  return (
    <Page
      title={isArchived ? 'Archived templates' : 'Templates'}
      lead="Stored projects with variables, rendered by their id."
      commands={() => [
        { action: 'listTemplates', query: { page, pageSize, archived: isArchived } },
        { action: 'createTemplate', body: { name: 'My template', payload: firstProject } },
      ]}
      actions={
        <>
          <a class="button" href="/editor">
            New project
          </a>
          <a class="button" href={isArchived ? '/templates' : '/templates?archived=true'}>
            {isArchived ? 'Current ones' : 'Archived ones'}
          </a>
        </>
      }
    >
      <Shown of={templates}>
        {({ templates: shown, total }) =>
          total === 0 ? (
            <Empty>
              <h2>No templates here</h2>
              <p>
                <a href="/editor">Write a project</a>, and save it as a template there.
              </p>
            </Empty>
          ) : (
            <>
              {shown.length > 0 && (
                <ul class="rows card">
                  {shown.map((template) => (
                    <li key={template.id} class="row">
                      <TemplatePicture template={template} />
                      <span class="row-name">
                        <a href={`/templates/${template.id}`} dir="auto">
                          {template.name}
                        </a>
                        <span class="quiet" dir="auto">
                          {template.description || (template.type === 'image' ? 'still' : 'film')}
                        </span>
                      </span>
                      <span class="quiet">
                        <a href={`/jobs?templateId=${template.id}`}>
                          {counted(template.recentJobs, 'job')} in 30 days
                        </a>
                      </span>
                      <span class="row-time quiet">
                        changed <Time at={template.updatedAt} />
                      </span>
                      <TemplateActions template={template} onChange={templates.reload} />
                    </li>
                  ))}
                </ul>
              )}
              <Pages
                label="Pages of the templates"
                {...{ page, pageSize, total }}
                onGo={(next) =>
                  route(`/templates?page=${next}${isArchived ? '&archived=true' : ''}`)
                }
              />
            </>
          )
        }
      </Shown>
    </Page>
  )
}
