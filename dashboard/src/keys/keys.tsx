import './keys.css'
import { useState } from 'preact/hooks'
import type { ApiKey, NewApiKey } from '../../../client/farm-client.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Checks, FormDialog } from '../ui/form-dialog.tsx'
import { Empty, Page, Shown } from '../ui/parts.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Time } from '../ui/time.tsx'
import { credits } from '../words/format.ts'
import { KeySpark, sparkDays } from './key-spark.tsx'
import { RevokeQuestion } from './revoke-question.tsx'

const scopes = ['render', 'jobs', 'account', 'templates', 'webhooks', 'keys'] as const
const dayMs = 86_400_000

export function Keys() {
  const keys = useLoaded(
    (signal) => caller.ask('GET /api/api-keys', { signal, query: { usageDays: sparkDays } }),
    [],
  )
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [revoked, setRevoked] = useState<ApiKey>()
  const create = async (given: FormData) => {
    const made = await act(() => farm.apiKeys.create(readForm(given)), 'The key is made.')
    if (!made) return
    setMaking(false)
    setSecret(made.key)
    keys.reload()
  }
  const revoke = async ({ id }: ApiKey) => {
    await act(() => farm.apiKeys.revoke(id), 'The key opens nothing any more.')
    setRevoked(undefined)
    keys.reload()
  }
  return (
    <Page
      title="API keys"
      lead="Programs sign in by a key. A key can be confined by scope, time and credits."
      commands={() => [
        { action: 'createKey', body: { name: 'my program', scopes: ['render', 'jobs'] } },
        { action: 'listKeys' },
      ]}
      actions={
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          New key
        </button>
      }
    >
      <Shown of={keys}>
        {({ apiKeys: shown }) =>
          shown.length === 0 ? (
            <Empty>
              <h2>No keys yet</h2>
              <button type="button" onClick={() => setMaking(true)}>
                New key
              </button>
            </Empty>
          ) : (
            <ul class="rows card">
              {shown.map((key) => (
                <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoked(key)} />
              ))}
            </ul>
          )
        }
      </Shown>
      {isMaking && (
        <FormDialog
          title="New key"
          submit="Make it"
          onSubmit={create}
          onClose={() => setMaking(false)}
        >
          <label>
            Name
            <input name="name" required maxLength={100} placeholder="my program" />
          </label>
          <Checks legend="May use" names={scopes} />
          <label>
            Ends after days (none: never)
            <input name="days" type="number" min={1} max={3650} />
          </label>
          <label>
            Credits it may spend (none: all)
            <input name="cap" type="number" min={0} />
          </label>
        </FormDialog>
      )}
      {secret && (
        <SecretDialog
          title="Your new key"
          secret={secret}
          name="FARM_API_KEY"
          onKept={() => setSecret(undefined)}
        />
      )}
      {revoked && (
        <RevokeQuestion
          apiKey={revoked}
          onYes={() => revoke(revoked)}
          onNo={() => setRevoked(undefined)}
        />
      )}
    </Page>
  )
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { spendingCap, creditsSpent } = apiKey
  return (
    <li class="row">
      <span class="row-name">
        <span dir="auto">{apiKey.name}</span>
        <span class="quiet">
          <code>{apiKey.prefix}…</code> {apiKey.scopes ? apiKey.scopes.join(', ') : 'all scopes'}
        </span>
      </span>
      <span class="quiet">
        {spendingCap !== null && `${creditsSpent ?? 0} of ${credits(spendingCap)} spent, `}
        {apiKey.lastUsedAt ? (
          <>
            last used <Time at={apiKey.lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
        {apiKey.expiresAt && (
          <>
            , ends <Time at={apiKey.expiresAt} />
          </>
        )}
      </span>
      {apiKey.usage && <KeySpark usage={apiKey.usage} />}
      <button type="button" onClick={onRevoke}>
        Revoke
      </button>
      <CommandMenu
        about={apiKey.name}
        of={() => [
          { action: 'readKeyUsage', id: apiKey.id },
          { action: 'revokeKey', id: apiKey.id },
        ]}
      />
    </li>
  )
}

function readForm(given: FormData): NewApiKey {
  const chosen = scopes.filter((scope) => given.has(scope))
  const days = Number(given.get('days'))
  const cap = String(given.get('cap'))
  return {
    name: String(given.get('name')),
    ...(chosen.length < scopes.length && { scopes: chosen }),
    ...(days > 0 && { expiresAt: new Date(Date.now() + days * dayMs).toISOString() }),
    ...(cap !== '' && { spendingCap: Number(cap) }),
  }
}
