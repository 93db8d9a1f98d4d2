import { useState } from 'preact/hooks'
import type { Upload } from '../../../client/farm-client.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { bytes, counted } from '../words/format.ts'

const shown = 20

/** The latest uploads, to be used again or deleted. `turn`: read again when it changes. */
export function UploadList({ onUrl, turn }: { onUrl: (url: string) => void; turn: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Your uploads</summary>
      {isOpen && <Rows onUrl={onUrl} turn={turn} />}
    </details>
  )
}

function Rows({ onUrl, turn }: { onUrl: (url: string) => void; turn: string }) {
  const { data, error, reload } = useLoaded(
    (signal) => caller.ask('GET /api/uploads', { signal, query: { pageSize: shown } }),
    [],
    { versions: [turn] },
  )
  const [leaving, setLeaving] = useState<Upload>()
  if (error) return <p role="alert">{error.message}</p>
  if (!data) return <p class="quiet">Reading…</p>
  if (data.total === 0) return <p class="quiet">None yet.</p>
  const remove = async ({ id }: Upload) => {
    await act(() => farm.uploads.delete(id), 'The upload is deleted.')
    setLeaving(undefined)
    reload()
  }
  return (
    <>
      <ul>
        {data.uploads.map((upload) => {
          const { id, name, url, bytes: size } = upload
          return (
            <li key={id}>
              <bdi>{name}</bdi> <span class="quiet">{bytes(size)}</span>{' '}
              <button
                type="button"
                class="link"
                aria-label={`Insert ${name}`}
                onClick={() => onUrl(url)}
              >
                Insert
              </button>{' '}
              <button
                type="button"
                class="link"
                aria-label={`Delete ${name}`}
                onClick={() => setLeaving(upload)}
              >
                Delete
              </button>{' '}
              <CommandMenu about={name} of={() => [{ action: 'deleteUpload', id }]} />
            </li>
          )
        })}
      </ul>
      <p class="quiet">
        {counted(data.total, 'upload')}, {bytes(data.bytes)}
        {data.total > shown && `; the latest ${shown} are shown`}
      </p>
      {leaving && (
        <FormDialog
          title="Delete the upload"
          submit="Delete"
          onSubmit={() => remove(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            Projects and templates that name <bdi>{leaving.name}</bdi> fail from then on.
          </p>
        </FormDialog>
      )}
    </>
  )
}
