import { type Column, fillable } from './mapping.ts'

/** Says which variable each column fills; columns that fill none are marked. */
export function MappingTable({
  columns,
  project,
  example,
  onChange,
}: {
  columns: readonly Column[]
  project: Record<string, unknown>
  /** Cells of the first row. */
  example: readonly string[] | undefined
  onChange: (columns: readonly Column[]) => void
}) {
  const variables = fillable(project)
  const unfilled = variables.filter(
    (name) => name !== 'name' && !columns.some(({ variable }) => variable === name),
  )
  return (
    <>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">First value</th>
              <th scope="col">Fills</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, variable }, at) => (
              <tr key={`${at} ${name}`} class={variable ? '' : 'unused'}>
                <td dir="auto">{name || `column ${at + 1}`}</td>
                <td class="quiet" dir="auto">
                  {(example?.[at] ?? '').slice(0, 60)}
                </td>
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
                        {each === 'name' ? 'name (of the file)' : each}
                      </option>
                    ))}
                  </select>
                </td>
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
