import { useState } from 'preact/hooks'
import { keyScopes } from '../../../../core/accounts/key-scopes.ts'
import { Checks } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { change } from '../api/operator-api.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'

/** Makes a key for an account, and shows it once. */
export function NewKey({ account, onDone }: { account: string; onDone: () => void }) {
  const [key, setKey] = useState<string>()
  return (
    <>
      <ChangeButton
        needs="admin"
        label="New key"
        title="New key"
        done="The key is made"
        command={(given) => commandOf(account, given)}
        send={async ({ why, given }) => {
          const body = { ...readForm(given), why }
          const made = await change('POST /api/operator/accounts/{account}/keys', { account, body })
          setKey(made.key)
        }}
        onDone={onDone}
      >
        <label>
          Name
          <input name="name" required maxLength={100} autocomplete="off" />
        </label>
        <Checks legend="May use" names={keyScopes} />
        <label>
          Ends, UTC (none: never)
          <input name="ends" type="datetime-local" />
        </label>
        <label>
          Credits it may spend (none: all)
          <input name="cap" type="number" min={1} />
        </label>
      </ChangeButton>
      {key !== undefined && (
        <SecretDialog
          title="The new key"
          secret={key}
          name="FARM_API_KEY"
          onKept={() => setKey(undefined)}
        />
      )}
    </>
  )
}

function readForm(given: FormData) {
  const scopes = keyScopes.filter((scope) => given.has(scope))
  const [ends, cap] = [String(given.get('ends') ?? ''), String(given.get('cap') ?? '')]
  return {
    name: String(given.get('name') ?? ''),
    ...(scopes.length < keyScopes.length && { scopes }),
    ...(ends !== '' && { expiresAt: `${ends}:00.000Z` }),
    ...(cap !== '' && { creditCap: Number(cap) }),
  }
}

function commandOf(account: string, given: FormData | undefined): string {
  const { name, scopes, expiresAt, creditCap } = given
    ? readForm(given)
    : { name: '', scopes: undefined, expiresAt: undefined, creditCap: undefined }
  const limits = [
    scopes && ` --scopes ${scopes.join(',')}`,
    expiresAt && ` --expires ${expiresAt}`,
    creditCap && ` --cap ${creditCap}`,
  ]
  return `farm keys create ${account} ${quoted(name || '…')}${limits.map((each) => each ?? '').join('')}`
}
