import { Card, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { NewKey } from './new-key.tsx'

/** The account's keys by their first characters; the rest of them is nowhere. */
export function Keys({ account }: { account: string }) {
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}/keys', { account, signal }),
    [account],
    seldomMs,
  )
  return (
    <Card title="API keys" aside={<NewKey account={account} onDone={loaded.reload} />}>
      <Shown of={loaded}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p class="quiet">None.</p>
          ) : (
            <ul class="rows">
              {keys.map((key) => (
                <li key={key.id} class="row">
                  <span class="row-name">
                    <b dir="auto">{key.name}</b>
                    <span class="quiet">
                      <code>{key.prefix}…</code> {key.scopes?.join(', ') ?? 'all scopes'}
                      {key.creditCap !== null &&
                        `, ${count(key.creditsSpent)} of ${count(key.creditCap)} credits spent`}
                    </span>
                  </span>
                  <span class="quiet row-time">
                    {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : 'never used'}
                  </span>
                  <ChangeButton
                    needs="admin"
                    label="Revoke"
                    hint={`Revoke ${key.prefix}`}
                    title={`Revoke ${key.prefix}…`}
                    done="The key opens nothing any more"
                    kind="danger"
                    command={`farm keys revoke ${account} ${key.id}`}
                    send={({ why }) =>
                      change('POST /api/operator/accounts/{account}/keys/{key}/revoke', {
                        ...{ account, key: key.id, body: { why } },
                      })
                    }
                    onDone={loaded.reload}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}
