import type { TableFault } from '../../../core/bulks/table.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import type { Column } from './mapping.ts'

const rowHeight = 2.75

/** All rows of the table, in which cells can be changed; faulty cells are marked with their rule. */
export function CellTable({
  lines,
  columns,
  faults,
  onCell,
}: {
  lines: readonly (readonly string[])[]
  columns: readonly Column[]
  faults: readonly TableFault[]
  onCell: (line: number, cell: number, value: string) => void
}) {
  const rules = Map.groupBy(faults, ({ field }) => field)
  const ruleAt = (line: number, column: string) =>
    rules.get(`row ${line + 1}`)?.find((fault) => fault.column === column)?.message
  return (
    <VirtualList
      label="Rows of the table"
      count={Math.max(0, lines.length - 1)}
      rowHeight={rowHeight}
      head={['Row', ...columns.map(({ name }) => name)]}
      onShown={() => undefined}
      kind="cells"
    >
      {(index) => {
        const line = index + 1
        const isFaulty = rules.has(`row ${line + 1}`)
        return (
          <>
            <th scope="row" class={isFaulty ? 'bad' : 'quiet'}>
              {line + 1}
            </th>
            {columns.map(({ name, variable }, cell) => {
              const rule = ruleAt(line, name)
              return (
                <td key={`${cell} ${name}`} class={variable ? '' : 'unused'}>
                  <input
                    value={lines[line]?.[cell] ?? ''}
                    aria-label={`${name} of row ${line + 1}`}
                    aria-invalid={rule !== undefined}
                    title={rule}
                    dir="auto"
                    onChange={({ currentTarget }) => onCell(line, cell, currentTarget.value)}
                  />
                </td>
              )
            })}
          </>
        )
      }}
    </VirtualList>
  )
}
