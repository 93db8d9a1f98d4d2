import { operatorRoles } from '../../../../core/operators/roles.ts'
import { change } from '../api/operator-api.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'

export type MadeSignIn = { readonly email: string; readonly password: string | null }

/** Makes an operator. `onMade` gets the password, which the farm shows once. */
export function NewOperator({
  onMade,
  onDone,
}: {
  onMade: (made: MadeSignIn) => void
  onDone: () => void
}) {
  return (
    <ChangeButton
      needs="admin"
      label="New operator"
      title="New operator"
      done="The operator may sign in"
      command={(given) =>
        `farm operators create ${quoted(String(given?.get('email') || '…'))} --role ${given?.get('role') ?? 'viewer'}`
      }
      send={async ({ why, given }) => {
        const role = operatorRoles.find((each) => each === given.get('role')) ?? 'viewer'
        const body = { email: String(given.get('email')), role, why }
        onMade(await change('POST /api/operator/operators', { body }))
      }}
      onDone={onDone}
    >
      <label>
        Email
        <input name="email" type="email" required maxLength={320} autocomplete="off" />
      </label>
      <label>
        Role
        <select name="role">
          {operatorRoles.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <p>The farm makes a password and shows it once.</p>
    </ChangeButton>
  )
}
