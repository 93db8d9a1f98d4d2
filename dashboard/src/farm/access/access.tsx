import { useLocation } from 'preact-iso'
import { rowHeightNow } from '../../settings/choices.ts'
import { Copy } from '../../ui/copy.tsx'
import { Empty, Fault, Loading, Page } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { count } from '../../words/format.ts'
import { SearchField, TextFilter } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { quoted } from '../ui/quoted.ts'
import { type AccessFilter, commandOf, filterOf } from './access-query.ts'
import { type Access as AccessRequest, useAccess } from './use-access.ts'

/** Requests that the farm answered, by the filters in the address. */
export function Access() {
  const { query, route } = useLocation()
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const { requests, isRead, isWhole, error, show, reload } = useAccess(filter, key)
  const go = (next: AccessFilter) =>
    route(`/farm/access${queryOf(filterOf({ ...filter, ...next }))}`)
  const lead = isRead ? `${count(requests.length)} read${isWhole ? ', which are all' : ''}` : ''
  return (
    <Page
      title="Requests"
      lead={lead}
      actions={
        <button type="button" onClick={reload}>
          Search again
        </button>
      }
    >
      <Filters filter={filter} go={go} />
      {!filter.since && !filter.request && (
        <p class="quiet">Requests of a day; choose a time to see older ones.</p>
      )}
      {error && <Fault error={error} onRetry={reload} />}
      {!isRead && !error && <Loading />}
      {isRead && requests.length === 0 && (
        <Empty>
          <h2>No request matches</h2>
          <a href="/farm/access">Show all requests of a day</a>
        </Empty>
      )}
      {requests.length > 0 && (
        <VirtualList
          label="Requests"
          count={requests.length}
          rowHeight={rowHeightNow()}
          head={[
            { name: 'Request', class: 'cell-name' },
            { name: 'Status', class: 'cell-status' },
            { name: 'Caller', class: 'cell-wide' },
            { name: 'Address', class: 'cell-wide' },
            { name: 'Time, ms', class: 'cell-more' },
            { name: 'When', class: 'cell-time' },
          ]}
          onShown={(_, last) => show(last)}
        >
          {(index) => <RequestRow request={requests[index]} />}
        </VirtualList>
      )}
      <div class="actions">
        <Copy text={commandOf(filter, quoted)} label="Copy as farm" />
      </div>
    </Page>
  )
}

function RequestRow({ request }: { request: AccessRequest | undefined }) {
  if (!request) return null
  const { requestId, method, path, status, aborted, ms, address, at } = request
  const by = request.operator ?? request.user ?? request.agent ?? request.key
  return (
    <>
      <td class="cell-name">
        <span class="job-name">
          <a href={`/farm/access${queryOf({ request: requestId })}`} dir="auto">
            {method} {path}
          </a>
          <span class="quiet" dir="auto">
            {requestId}
            {request.tool !== null && ` · ${request.tool}`}
            {request.made !== null && ` · made ${request.made}`}
          </span>
        </span>
      </td>
      <td class={status >= 500 ? 'cell-status bad' : 'cell-status'}>
        {status}
        {aborted && ' aborted'}
      </td>
      <td class="cell-wide">
        {request.accountId !== null && (
          <a href={`/farm/accounts/${request.accountId}`} dir="auto">
            {request.account ?? request.accountId}
          </a>
        )}{' '}
        {by !== null && <bdi class="quiet">{by}</bdi>}
      </td>
      <td class="cell-wide quiet">{address}</td>
      <td class="cell-more quiet">{count(Math.round(ms))}</td>
      <td class="cell-time quiet">
        <Time at={at} />
      </td>
    </>
  )
}

const fields = [
  ['account', 'Account', 'Account, by id or name'],
  ['key', 'Key', 'Beginning of a key'],
  ['path', 'Path or job', 'Part of the path, or a job'],
  ['status', 'Status', 'Status, as 404 or 4xx'],
  ['method', 'Method', 'Method, as GET or POST'],
  ['address', 'Address', 'Address, or a range of addresses'],
] as const

function Filters({ filter, go }: { filter: AccessFilter; go: (next: AccessFilter) => void }) {
  return (
    <search class="filters">
      <SearchField
        label="Request id"
        value={filter.request ?? ''}
        onChange={(request) => go({ request })}
      />
      {fields.map(([name, placeholder, label]) => (
        <TextFilter
          key={name}
          {...{ name, placeholder, label }}
          value={filter[name] ?? ''}
          onChange={(text) => go({ [name]: text })}
        />
      ))}
      {(['since', 'until'] as const).map((name) => (
        <label key={name} class="date">
          <span>{name === 'since' ? 'Since' : 'Before'}, UTC</span>
          <input
            type="datetime-local"
            value={filter[name]?.slice(0, 16) ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go({ [name]: value === '' ? '' : `${value}:00.000Z` })
            }
          />
        </label>
      ))}
    </search>
  )
}
