import { useRoute } from 'preact-iso'
import { roleIncludes } from '../../../../core/operators/roles.ts'
import { Copy } from '../../ui/copy.tsx'
import { Figure, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../words/format.ts'
import { me } from '../api/me.ts'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { FarmState } from '../ui/farm-state.tsx'
import { AccountChanges } from './account-changes.tsx'
import { accountState } from './accounts.tsx'
import { BudgetCard } from './budget.tsx'
import { Keys } from './keys.tsx'
import { Ledger } from './ledger.tsx'
import { Share } from './share.tsx'
import { Users } from './users.tsx'
import { Webhooks } from './webhooks.tsx'

/** One account: its money, its share of the farm, its users, its keys and its webhooks. */
export function AccountPage() {
  const { account = '' } = useRoute().params
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}', { account, signal }),
    [account],
  )
  const { data, reload } = loaded
  const isOperator = me.value !== undefined && roleIncludes(me.value.role, 'operator')
  return (
    <Page
      title={data?.name ?? 'Account'}
      lead={
        data && (
          <span class="since">
            <FarmState of={accountState(data)} /> {data.plan}
            <span>
              since <Time at={data.createdAt} />
            </span>
          </span>
        )
      }
      actions={data && <AccountChanges account={data} onDone={reload} />}
    >
      <Shown of={loaded}>
        {(shown) => (
          <>
            <div class="figures">
              <Figure name="Credits" value={count(shown.creditsBalance)} />
              <Figure name="Held by jobs" value={count(shown.creditsReserved)} />
              <Figure
                name="Can be spent"
                value={count(shown.creditsBalance - shown.creditsReserved)}
              />
            </div>
            <BudgetCard account={shown.id} />
            <Share account={shown.id} />
            <Users account={shown.id} />
            <Keys account={shown.id} />
            <Webhooks account={shown.id} />
            <Ledger account={shown.id} balance={shown.creditsBalance} />
            <div class="actions">
              <a class="button" href={`/farm/jobs?account=${shown.id}`}>
                Its jobs
              </a>
              {isOperator && (
                <a class="button" href={`/farm/access?account=${shown.id}`}>
                  Its requests
                </a>
              )}
              <a class="button" href={`/farm/audit?subject=${shown.id}`}>
                On record
              </a>
              <Copy text={`farm accounts show ${shown.id}`} label="Copy as farm" />
            </div>
          </>
        )}
      </Shown>
    </Page>
  )
}
