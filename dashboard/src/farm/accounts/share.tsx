import { Card, Shown } from '../../ui/parts.tsx'
import { count } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'

type AccountShare = Reply<'GET /api/operator/shares'>['shares'][number]

/** The account's share of the farm, and how much of it is in use now. */
export function Share({ account }: { account: string }) {
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}/share', { account, signal }),
    [account],
  )
  const [share] = loaded.data?.shares ?? []
  return (
    <Card
      title="Share of the farm"
      aside={share && <ChangeShare share={share} onDone={loaded.reload} />}
    >
      <Shown of={loaded}>
        {({ shares: [shown] }) =>
          shown ? (
            <dl class="facts">
              {facts(shown).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ))}
            </dl>
          ) : (
            <p class="quiet">As its plan says.</p>
          )
        }
      </Shown>
    </Card>
  )
}

const facts = ({ weight, guaranteed, burst, running, pool, tags }: AccountShare) =>
  [
    ['Weight', String(weight)],
    ['Guaranteed slots', count(guaranteed)],
    ['Most slots', count(burst)],
    ['Running now', count(running)],
    ['Pool', pool ?? 'any'],
    ['Tags', tags.join(', ') || 'none'],
  ] as const

function ChangeShare({ share, onDone }: { share: AccountShare; onDone: () => void }) {
  return (
    <ChangeButton
      needs="admin"
      label="Change"
      title={`Share of ${share.name}`}
      done="The share is changed"
      command={(given) =>
        `farm queue share ${share.id} --weight ${given?.get('weight') ?? share.weight} --guaranteed ${given?.get('guaranteed') ?? share.guaranteed} --burst ${given?.get('burst') ?? share.burst}`
      }
      send={({ why, given }) =>
        change('POST /api/operator/accounts/{account}/share', {
          account: share.id,
          body: {
            ...{ why, weight: Number(given.get('weight')) },
            slotsGuaranteed: Number(given.get('guaranteed')),
            slotsBurst: Number(given.get('burst')),
          },
        })
      }
      onDone={onDone}
    >
      <label>
        Weight
        <input name="weight" type="number" step="any" required defaultValue={share.weight} />
      </label>
      <label>
        Guaranteed slots
        <input name="guaranteed" type="number" min={0} required defaultValue={share.guaranteed} />
      </label>
      <label>
        Most slots
        <input name="burst" type="number" min={0} required defaultValue={share.burst} />
      </label>
    </ChangeButton>
  )
}
