import { cellType } from '../../../core/bulks/table.ts'
import { counted } from '../words/format.ts'
import { type Column, fillable } from './mapping.ts'
import { misfits, type Seen, seenInWords, typeName } from './seen-values.ts'

/**
 * Says which variable each column fills, and the types of both: cells that cannot be read as the
 * variable's type are counted, and columns that fill none are marked.
 */
export function MappingTable({
  columns,
  project,
  example,
  seen,
  onChange,
}: {
  columns: readonly Column[]
  project: Record<string, unknown>
  /** Cells of the first row. */
  example: readonly string[] | undefined
  /** Kinds of values of each column, once they are counted. */
  seen: readonly Seen[]
  onChange: (columns: readonly Column[]) => void
}) {
  const variables = fillable(project)
  const unfilled = variables.filter(
    (name) => name !== 'name' && !columns.some(({ variable }) => variable === name),
  )
  const typeOf = (variable: string) => cellType(variable, { payload: project })
  return (
    <>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Fills</th>
              <th scope="col">Type</th>
              <th scope="col">First value</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, variable }, at) => (
              <tr key={`${at} ${name}`} class={variable ? '' : 'unused'}>
                <td dir="auto">{name || `column ${at + 1}`}</td>
                <td>
                  <select
                    aria-label={`Variable of the column ${name}`}
                    value={variable}
                    onChange={({ currentTarget }) =>
                      onChange(columns.with(at, { name, variable: currentTarget.value }))
                    }
                  >
                    <option value="">nothing</option>
                    {variables.map((each) => (
                      <option key={each} value={each}>
                        {each === 'name'
                          ? 'name (of the file)'
                          : `${each}: ${typeName(typeOf(each))}`}
                      </option>
                    ))}
                  </select>
                </td>
                <td>{variable && <Fit seen={seen[at] ?? {}} type={typeOf(variable)} />}</td>
                <td class="quiet" dir="auto">
                  {(example?.[at] ?? '').slice(0, 60)}
                </td>
                <td class="quiet">{seenInWords(seen[at] ?? {})}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {unfilled.length > 0 && (
        <p class="quiet">No column fills {unfilled.join(', ')}: the project's own values stay.</p>
      )}
    </>
  )
}

/** Type of a variable, and how many cells of its column are of another one. */
function Fit({ seen, type }: { seen: Seen; type: ReturnType<typeof cellType> }) {
  const wrong = misfits(seen, type)
  if (wrong === 0) return <>{typeName(type)}</>
  return (
    <span class="bad">
      {typeName(type)}, but {counted(wrong, 'cell')} {wrong === 1 ? 'is' : 'are'} not
    </span>
  )
}
