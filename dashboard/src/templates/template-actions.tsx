import type { TemplateSummary } from '../../../client/farm-client.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { useBusy } from '../ui/use-busy.ts'
import { archive } from './archive.ts'

/** Acts of a template in the list. */
export function TemplateActions({
  template,
  onChange,
}: {
  template: TemplateSummary
  onChange: () => void
}) {
  const { id, name, archived } = template
  const [isBusy, during] = useBusy()
  const duplicate = () =>
    during(async () => {
      await act(() => farm.templates.duplicate(id), 'The copy is made.')
      onChange()
    })
  const setArchived = () => during(() => archive(template, onChange))
  return (
    <span class="actions">
      {!archived && (
        <a class="button" href={`/bulks/new?template=${id}`} aria-label={`Make a bulk of ${name}`}>
          Make a bulk
        </a>
      )}
      <button
        type="button"
        aria-disabled={isBusy}
        aria-label={`Duplicate ${name}`}
        onClick={duplicate}
      >
        Duplicate
      </button>
      <button
        type="button"
        aria-disabled={isBusy}
        aria-label={`${archived ? 'Bring back' : 'Archive'} ${name}`}
        onClick={setArchived}
      >
        {archived ? 'Bring back' : 'Archive'}
      </button>
      <CommandMenu
        about={name}
        of={() => [
          { action: 'showTemplate', id },
          { action: 'duplicateTemplate', id },
        ]}
      />
    </span>
  )
}
