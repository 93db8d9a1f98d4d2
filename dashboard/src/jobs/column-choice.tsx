import { kept } from '../ui/kept.ts'
import { type Column, columnNames, columns, readColumns, toggleColumn } from './columns.ts'

const choice = kept<readonly Column[]>('job columns', { first: ['created'], read: readColumns })

/** Columns that this browser shows. */
export const shownColumns = choice.now

export function ColumnChoice() {
  return (
    <details class="menu">
      <summary class="button">Columns</summary>
      <fieldset>
        <legend class="hidden">Columns</legend>
        {columns.map((column) => (
          <label key={column} class="check">
            <input
              type="checkbox"
              checked={shownColumns.value.includes(column)}
              onChange={() => choice.choose(toggleColumn(shownColumns.value, column))}
            />{' '}
            {columnNames[column]}
          </label>
        ))}
      </fieldset>
    </details>
  )
}
