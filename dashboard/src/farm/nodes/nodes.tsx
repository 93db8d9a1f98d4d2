import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { rowHeightNow } from '../../settings/choices.ts'
import { ChooseAll } from '../../ui/choose-all.tsx'
import { Empty, Page, Shown } from '../../ui/parts.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { counted } from '../../words/format.ts'
import { mayChange } from '../api/me.ts'
import { read } from '../api/operator-api.ts'
import { oftenMs, seldomMs, usePolled } from '../api/use-polled.ts'
import { SearchField, Select } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { NodeChanges } from './node-changes.tsx'
import { countBy, type FarmNode, matching, poolName, poolOf, stateOf } from './node-facts.ts'
import { NodeGrid } from './node-grid.tsx'
import { NodeRow } from './node-row.tsx'

/** More nodes than these are read less often: five thousand are 3 MB. */
const manyNodes = 1_000

/** All nodes, as a table or a grid; several are changed at once with one reason. */
export function Nodes() {
  const { query, route } = useLocation()
  const [everyMs, setEveryMs] = useState(oftenMs)
  const list = usePolled((signal) => read('GET /api/operator/nodes', { signal }), [], everyMs)
  const isLong = (list.data?.nodes.length ?? 0) > manyNodes
  useEffect(() => setEveryMs(isLong ? seldomMs : oftenMs), [isLong])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const go = (next: Record<string, string>) => route(`/farm/nodes${queryOf({ ...query, ...next })}`)
  return (
    <Page title="Nodes" lead={list.data && counted(list.data.nodes.length, 'node')}>
      <Shown of={list}>
        {({ nodes }) => {
          const shown = matching(nodes, query)
          return (
            <>
              <Filters nodes={nodes} query={query} go={go} />
              <ChosenNodes
                nodes={nodes.filter(({ id }) => chosen.has(id))}
                onNone={() => setChosen(new Set())}
                onDone={list.reload}
              />
              {shown.length === 0 ? (
                <Empty>
                  <h2>{nodes.length === 0 ? 'No nodes yet' : 'No node matches'}</h2>
                  {nodes.length === 0 ? (
                    <p>
                      A machine joins by <code>farm worker</code>.
                    </p>
                  ) : (
                    <a href="/farm/nodes">Show all nodes</a>
                  )}
                </Empty>
              ) : query.view === 'grid' ? (
                <NodeGrid nodes={shown} />
              ) : (
                <NodeTable nodes={shown} chosen={chosen} onChoose={setChosen} />
              )}
            </>
          )
        }}
      </Shown>
    </Page>
  )
}

type Query = { readonly [name: string]: string | undefined }

function Filters({
  nodes,
  query,
  go,
}: {
  nodes: readonly FarmNode[]
  query: Query
  go: (next: Record<string, string>) => void
}) {
  const options = (counts: Map<string, number>) =>
    [...counts].toSorted().map(([name, count]) => [name, `${name} (${count})`] as const)
  const isGrid = query.view === 'grid'
  return (
    <search class="filters">
      <SearchField label="Search by name" value={query.q ?? ''} onChange={(q) => go({ q })} />
      <Select
        label="State"
        all="All states"
        value={query.state ?? ''}
        options={options(countBy(nodes, stateOf))}
        onChange={(state) => go({ state })}
      />
      <Select
        label="Pool"
        all="All pools"
        value={query.pool ?? ''}
        options={options(countBy(nodes, (node) => poolName(poolOf(node))))}
        onChange={(pool) => go({ pool })}
      />
      <button
        type="button"
        aria-pressed={isGrid}
        onClick={() => go({ view: isGrid ? '' : 'grid' })}
      >
        {isGrid ? 'As a table' : 'As a grid'}
      </button>
    </search>
  )
}

function ChosenNodes({
  nodes,
  onNone,
  onDone,
}: {
  nodes: readonly FarmNode[]
  onNone: () => void
  onDone: () => void
}) {
  if (nodes.length === 0) return null
  const done = () => {
    onNone()
    onDone()
  }
  return (
    <section class="bar" aria-label="Chosen nodes">
      <b>{counted(nodes.length, 'node')}</b>
      <NodeChanges nodes={nodes} onDone={done} />
      <button type="button" onClick={onNone}>
        Choose none
      </button>
    </section>
  )
}

function NodeTable({
  nodes,
  chosen,
  onChoose,
}: {
  nodes: readonly FarmNode[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}) {
  const canChoose = mayChange('operator')
  const areAll = nodes.every(({ id }) => chosen.has(id))
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  const box = {
    name: 'Choose',
    class: 'cell-choose',
    content: (
      <ChooseAll
        label="Choose all nodes that match"
        checked={areAll}
        onChange={() => onChoose(new Set(areAll ? [] : nodes.map(({ id }) => id)))}
      />
    ),
  }
  return (
    <VirtualList
      label="Nodes"
      count={nodes.length}
      rowHeight={rowHeightNow()}
      head={[
        ...(canChoose ? [box] : []),
        { name: 'Node', class: 'cell-name' },
        { name: 'State', class: 'cell-state' },
        { name: 'Tasks', class: 'cell-more' },
        { name: '1 h', class: 'cell-more' },
        { name: 'Processor', class: 'cell-more' },
        { name: 'Memory', class: 'cell-more' },
        { name: 'Disk', class: 'cell-more' },
        { name: 'Spoke', class: 'cell-more' },
      ]}
      onShown={() => undefined}
    >
      {(index) => {
        const node = nodes[index]
        if (!node) return null
        return (
          <>
            {canChoose && (
              <td class="cell-choose">
                <input
                  type="checkbox"
                  checked={chosen.has(node.id)}
                  aria-label={`Choose ${node.name}`}
                  onChange={() => toggle(node.id)}
                />
              </td>
            )}
            <NodeRow node={node} />
          </>
        )
      }}
    </VirtualList>
  )
}
