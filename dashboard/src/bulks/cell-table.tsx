import { useState } from 'preact/hooks'
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
                  <Cell
                    text={lines[line]?.[cell] ?? ''}
                    label={`${name} of row ${line + 1}`}
                    rule={rule}
                    onChange={(value) => onCell(line, cell, value)}
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

/** Cell of the table. It keeps what is typed, however often the table is drawn meanwhile. */
function Cell({
  text,
  label,
  rule,
  onChange,
}: {
  text: string
  label: string
  /** Rule that it breaks. */
  rule: string | undefined
  onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState<string>()
  return (
    <input
      value={typed ?? text}
      aria-label={label}
      aria-invalid={rule !== undefined}
      title={rule}
      dir="auto"
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => {
        setTyped(undefined)
        onChange(currentTarget.value)
      }}
      // A text that is typed and taken back is no change.
      onBlur={() => setTyped(undefined)}
    />
  )
}
