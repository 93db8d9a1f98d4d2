import { planNames } from '../../../../core/accounts/plans.ts'
import { change } from '../api/operator-api.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import type { Account } from './accounts.tsx'

const acts = {
  suspend: {
    name: 'Suspend',
    done: 'The account is suspended',
    says: 'Its keys and users are refused from now on. Its submitted jobs go on.',
  },
  resume: {
    name: 'Resume',
    done: 'The account is active again',
    says: 'Its keys and users are taken again.',
  },
  close: {
    name: 'Close',
    done: 'The account is closed',
    says: 'Its keys, users and webhooks end for good.',
  },
} as const

/** Changes that an admin may make to an account. */
export function AccountChanges({ account, onDone }: { account: Account; onDone: () => void }) {
  const isClosed = account.closedAt !== null
  const isSuspended = account.suspendedAt !== null
  const allowed = {
    suspend: !isClosed && !isSuspended,
    resume: !isClosed && isSuspended,
    close: !isClosed,
  }
  const common = { needs: 'admin', onDone } as const
  const to = { account: account.id }
  return (
    <>
      {(['grant', 'correct'] as const).map((act) => (
        <ChangeButton
          key={act}
          {...common}
          label={act === 'grant' ? 'Grant credits' : 'Correct credits'}
          title={`${act === 'grant' ? 'Grant' : 'Correct'} credits of ${account.name}`}
          done="The credits are changed"
          command={(given) =>
            `farm credits ${act} ${account.id} ${given?.get('credits') || '…'} --note ${quoted(String(given?.get('note') || '…'))}`
          }
          send={({ why, given }) =>
            change(`POST /api/operator/accounts/{account}/credits/${act}`, {
              ...to,
              body: {
                ...{ credits: Number(given.get('credits')), note: String(given.get('note')), why },
              },
            })
          }
        >
          <label>
            {act === 'grant' ? 'Credits' : 'Credits to add, or to take with a minus'}
            <input name="credits" type="number" required min={act === 'grant' ? 1 : undefined} />
          </label>
          <label>
            Note, which the account can read
            <input name="note" required maxLength={500} autocomplete="off" />
          </label>
        </ChangeButton>
      ))}
      <ChangeButton
        {...common}
        label="Plan"
        title={`Plan of ${account.name}`}
        done="The plan is changed"
        command={(given) =>
          `farm accounts set-plan ${account.id} ${given?.get('plan') ?? account.plan}`
        }
        send={({ why, given }) => {
          const plan = planNames.find((name) => name === given.get('plan')) ?? 'free'
          return change('POST /api/operator/accounts/{account}/plan', {
            ...to,
            body: { plan, why },
          })
        }}
      >
        <label>
          Plan, from its next request on
          <select name="plan">
            {planNames.map((name) => (
              <option key={name} value={name} selected={name === account.plan}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </ChangeButton>
      {(Object.keys(acts) as (keyof typeof acts)[])
        .filter((act) => allowed[act])
        .map((act) => (
          <ChangeButton
            key={act}
            {...common}
            label={acts[act].name}
            title={`${acts[act].name} ${account.name}`}
            done={acts[act].done}
            command={`farm accounts ${act} ${account.id}`}
            kind={act === 'resume' ? 'plain' : 'danger'}
            send={({ why }) =>
              change(`POST /api/operator/accounts/{account}/${act}`, { ...to, body: { why } })
            }
          >
            <p>{acts[act].says}</p>
          </ChangeButton>
        ))}
    </>
  )
}
