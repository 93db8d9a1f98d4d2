import { useLocation } from 'preact-iso'
import { rowHeightNow } from '../../settings/choices.ts'
import { Empty, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { count, counted } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { FarmState } from '../ui/farm-state.tsx'
import { SearchField } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { FoundKeys } from './found-keys.tsx'

export type Account = Reply<'GET /api/operator/accounts'>['accounts'][number]

const refreshMs = 15_000

/** State of an account for people: an account that is neither is active. */
export function accountState({ suspendedAt, closedAt }: Account): string {
  if (closedAt !== null) return 'closed'
  return suspendedAt === null ? 'active' : 'suspended'
}

/** All accounts, and whose a key is by its first characters. */
export function Accounts() {
  const { query, route } = useLocation()
  const list = usePolled((signal) => read('GET /api/operator/accounts', { signal }), [], refreshMs)
  const text = (query.q ?? '').toLowerCase()
  const isKey = /^svc_[0-9a-f]+$/.test(text)
  return (
    <Page title="Accounts" lead={list.data && counted(list.data.accounts.length, 'account')}>
      <search class="filters">
        <SearchField
          label="Name, id or start of a key"
          value={query.q ?? ''}
          // No more of a key than is shown anywhere gets into the address.
          onChange={(q) => route(`/farm/accounts${queryOf({ q: shortKey(q) })}`)}
        />
      </search>
      {isKey && <FoundKeys start={text} />}
      {!isKey && (
        <Shown of={list}>
          {({ accounts }) => <AccountTable accounts={accounts.filter(matches(text))} />}
        </Shown>
      )}
    </Page>
  )
}

const keyShown = 12
const shortKey = (text: string) =>
  /^svc_/i.test(text) ? text.toLowerCase().slice(0, keyShown) : text

const matches =
  (text: string) =>
  ({ id, name }: Account) =>
    name.toLowerCase().includes(text) || id === text

function AccountTable({ accounts }: { accounts: readonly Account[] }) {
  if (accounts.length === 0) {
    return (
      <Empty>
        <h2>No account matches</h2>
        <a href="/farm/accounts">Show all accounts</a>
      </Empty>
    )
  }
  return (
    <VirtualList
      label="Accounts"
      count={accounts.length}
      rowHeight={rowHeightNow()}
      head={[
        { name: 'Account', class: 'cell-name' },
        { name: 'State', class: 'cell-state' },
        { name: 'Credits', class: 'cell-more' },
        { name: 'Held', class: 'cell-more' },
        { name: 'Created', class: 'cell-time' },
      ]}
      onShown={() => undefined}
    >
      {(index) => {
        const account = accounts[index]
        if (!account) return null
        return (
          <>
            <td class="cell-name">
              <span class="job-name">
                <a href={`/farm/accounts/${account.id}`} dir="auto">
                  {account.name}
                </a>
                <span class="quiet">{account.plan}</span>
              </span>
            </td>
            <td class="cell-state">
              <FarmState of={accountState(account)} />
            </td>
            <td class="cell-more">{count(account.creditsBalance)}</td>
            <td class="cell-more quiet">{count(account.creditsReserved)}</td>
            <td class="cell-time quiet">
              <Time at={account.createdAt} />
            </td>
          </>
        )
      }}
    </VirtualList>
  )
}
