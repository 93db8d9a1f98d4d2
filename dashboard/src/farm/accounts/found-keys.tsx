import { Card, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { FarmState } from '../ui/farm-state.tsx'

/** Keys, live or revoked, that begin so, with their accounts. */
export function FoundKeys({ start }: { start: string }) {
  const found = usePolled(
    (signal) => read('GET /api/operator/keys', { query: { start }, signal }),
    [start],
    0,
  )
  return (
    <Card title={`Keys that begin with ${start}`}>
      <Shown of={found}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p class="quiet">No key of this farm begins so.</p>
          ) : (
            <ul class="rows">
              {keys.map((key) => (
                <li key={key.id} class="row">
                  <span class="row-name">
                    <a href={`/farm/accounts/${key.accountId}`} dir="auto">
                      {key.account}
                    </a>
                    <span class="quiet">
                      <code>{key.prefix}…</code> <bdi>{key.name}</bdi>
                    </span>
                  </span>
                  <FarmState of={key.revokedAt === null ? 'active' : 'revoked'} />
                  <span class="quiet row-time">
                    {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : 'never used'}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}
