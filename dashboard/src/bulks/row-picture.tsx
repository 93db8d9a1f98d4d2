import { useEffect, useState } from 'preact/hooks'
import type { PreviewRequest } from '../../../client/farm-client.ts'
import type { Row } from '../../../core/bulks/table.ts'
import { farm } from '../session/farm.ts'
import { dataUrl } from '../ui/data-url.ts'
import { Fault } from '../ui/parts.tsx'
import type { Project } from './project-choice.tsx'

type Shown = { readonly src: string; readonly row: number } | { readonly error: Error }

/** Shows a few moments of any row's film, painted as the render would; it costs nothing. */
export function RowPicture({ project, rows }: { project: Project; rows: readonly Row[] }) {
  const [number, setNumber] = useState<number>()
  const [shown, setShown] = useState<Shown>()
  const row = rows.find((each) => each.number === number)
  const key = row && JSON.stringify(row.variables)
  useEffect(() => {
    if (!row) return
    const ending = new AbortController()
    const of = project.templateId ? { template: project.templateId } : { payload: project.payload }
    const request = { ...of, variables: row.variables } as PreviewRequest
    farm.preview(request, { signal: ending.signal }).then(
      ({ image }) => setShown({ src: dataUrl(image, 'image/jpeg'), row: row.number }),
      (error) => {
        if (!ending.signal.aborted) setShown({ error })
      },
    )
    return () => ending.abort()
  }, [project, key])
  const isCurrent = shown && 'src' in shown && shown.row === number
  return (
    <div class="row-picture">
      <label>
        Picture of a row, by its number
        <input
          type="number"
          min={rows[0]?.number}
          max={rows.at(-1)?.number}
          value={number ?? ''}
          onChange={(event) => setNumber(Number(event.currentTarget.value) || undefined)}
        />
      </label>
      {number !== undefined && !row && (
        <p class="quiet">The table has no row {number} to render.</p>
      )}
      {row?.name && (
        <p class="quiet">
          Row {row.number}: <bdi>{row.name}</bdi>
        </p>
      )}
      {row && !isCurrent && !(shown && 'error' in shown) && <p class="quiet loading">Painting…</p>}
      {row && shown && 'error' in shown && <Fault error={shown.error} />}
      {row && shown && 'src' in shown && (
        <img class="player" src={shown.src} alt={`Moments of the film of row ${shown.row}`} />
      )}
    </div>
  )
}
