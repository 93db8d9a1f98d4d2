import { useState } from 'preact/hooks'
import { operatorRoles } from '../../../../core/operators/roles.ts'
import { Card, Page, Shown } from '../../ui/parts.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import { WideTable } from '../ui/wide-table.tsx'
import { type MadeSignIn, NewOperator } from './new-operator.tsx'

type Operator = Reply<'GET /api/operator/operators'>['operators'][number]

/** People who operate the farm, for admins. */
export function Operators() {
  const [made, setMade] = useState<MadeSignIn>()
  const loaded = usePolled((signal) => read('GET /api/operator/operators', { signal }), [])
  return (
    <Page
      title="Operators"
      lead="A viewer reads; an operator also changes nodes and jobs; an admin also accounts."
      actions={<NewOperator onMade={setMade} onDone={loaded.reload} />}
    >
      <Shown of={loaded}>
        {({ operators }) => (
          <Card title="Operators">
            <WideTable
              label="All operators"
              head={['Email', 'Role', 'Made by', 'Since', 'Last used', 'Change']}
            >
              {operators.map((each) => (
                <OperatorRow
                  key={each.id}
                  operator={each}
                  onMade={setMade}
                  onDone={loaded.reload}
                />
              ))}
            </WideTable>
          </Card>
        )}
      </Shown>
      {made?.password && (
        <SecretDialog
          title={`Password of ${made.email}`}
          secret={made.password}
          onKept={() => setMade(undefined)}
        />
      )}
    </Page>
  )
}

function OperatorRow({
  operator,
  onMade,
  onDone,
}: {
  operator: Operator
  onMade: (made: MadeSignIn) => void
  onDone: () => void
}) {
  const { email, role, madeBy, createdAt, lastUsedAt, disabledAt } = operator
  const common = { needs: 'admin', onDone } as const
  return (
    <tr>
      <td dir="auto">{email}</td>
      <td>{disabledAt === null ? role : 'disabled'}</td>
      <td dir="auto">{madeBy}</td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>{lastUsedAt === null ? <span class="quiet">never</span> : <Time at={lastUsedAt} />}</td>
      <td>
        {disabledAt === null && (
          <div class="actions">
            <ChangeButton
              {...common}
              label="Role"
              hint={`Role of ${email}`}
              title={`Role of ${email}`}
              done="The role is changed"
              command={(given) =>
                `farm operators role ${quoted(email)} --role ${given?.get('role') ?? role}`
              }
              send={({ why, given }) => {
                const wanted = operatorRoles.find((each) => each === given.get('role')) ?? 'viewer'
                return change('POST /api/operator/operators/{email}/role', {
                  ...{ email, body: { role: wanted, why } },
                })
              }}
            >
              <label>
                Role, from the next request on
                <select name="role">
                  {operatorRoles.map((each) => (
                    <option key={each} value={each} selected={each === role}>
                      {each}
                    </option>
                  ))}
                </select>
              </label>
            </ChangeButton>
            <ChangeButton
              {...common}
              label="New password"
              hint={`New password of ${email}`}
              title={`New password of ${email}`}
              done="The password is new"
              command={`farm operators reset-password ${quoted(email)}`}
              send={async ({ why }) =>
                onMade(
                  await change('POST /api/operator/operators/{email}/reset-password', {
                    ...{ email, body: { why } },
                  }),
                )
              }
            >
              <p>All sessions of theirs end. The farm makes a password and shows it once.</p>
            </ChangeButton>
            <ChangeButton
              {...common}
              kind="danger"
              label="Disable"
              hint={`Disable ${email}`}
              title={`Disable ${email}`}
              done={`${email} is refused from now on`}
              command={`farm operators disable ${quoted(email)}`}
              send={({ why }) =>
                change('POST /api/operator/operators/{email}/disable', { email, body: { why } })
              }
            >
              <p>All sessions of theirs end.</p>
            </ChangeButton>
          </div>
        )}
      </td>
    </tr>
  )
}
