import { Card, Shown } from '../../ui/parts.tsx'
import { count, credits } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'

type Budget = Reply<'GET /api/operator/budgets'>['budgets'][number]

/** Credits that an account may spend in a month before operators hear of it, or it stops. */
export function BudgetCard({ account }: { account: string }) {
  const loaded = usePolled(
    (signal) => read('GET /api/operator/budgets', { signal }),
    [account],
    seldomMs,
  )
  return (
    <Card title="Budget of a month">
      <Shown of={loaded}>
        {({ budgets }) => {
          const budget = budgets.find(({ accountId }) => accountId === account)
          return (
            <>
              <BudgetWords budget={budget} />
              <div class="actions">
                <SetBudget account={account} budget={budget} onDone={loaded.reload} />
                {budget && (
                  <ChangeButton
                    needs="admin"
                    label="Remove the budget"
                    title="Remove the budget"
                    done="The account has no budget"
                    command={`farm budgets remove ${account}`}
                    send={({ why }) =>
                      change('POST /api/operator/accounts/{account}/budget/remove', {
                        ...{ account, body: { why } },
                      })
                    }
                    onDone={loaded.reload}
                  />
                )}
              </div>
            </>
          )
        }}
      </Shown>
    </Card>
  )
}

function BudgetWords({ budget }: { budget: Budget | undefined }) {
  if (!budget) return <p class="quiet">None: it may spend all that it has.</p>
  const { spent, stops } = budget
  const share = Math.floor((spent * 100) / budget.credits)
  const then = stops ? 'New jobs are refused once it is spent.' : 'Receivers are told; jobs go on.'
  return (
    <>
      <p>
        <b class={share >= 100 ? 'bad' : undefined}>{share} %</b> spent: {count(spent)} of{' '}
        {credits(budget.credits)}. {then}
      </p>
      <meter
        {...{ min: 0, max: budget.credits, value: spent, optimum: 0 }}
        {...{ low: budget.credits * 0.8, high: budget.credits * 0.999 }}
        aria-label="Share of the budget"
      />
    </>
  )
}

function SetBudget({
  account,
  budget,
  onDone,
}: {
  account: string
  budget: Budget | undefined
  onDone: () => void
}) {
  return (
    <ChangeButton
      needs="admin"
      label="Set the budget"
      title="Budget of a month"
      done="The budget is set"
      command={(given) =>
        `farm budgets set ${account} ${given?.get('credits') || '…'}${given?.has('stops') ? ' --stop' : ''}`
      }
      send={({ why, given }) =>
        change('POST /api/operator/accounts/{account}/budget', {
          account,
          body: { credits: Number(given.get('credits')), stops: given.has('stops'), why },
        })
      }
      onDone={onDone}
    >
      <label>
        Credits of a calendar month (UTC)
        <input name="credits" type="number" required min={1} defaultValue={budget?.credits} />
      </label>
      <label class="check">
        <input name="stops" type="checkbox" defaultChecked={budget?.stops} /> Refuse new jobs once
        it is spent
      </label>
      <p>Receivers of alerts are told at 50, 80 and 100 %.</p>
    </ChangeButton>
  )
}
