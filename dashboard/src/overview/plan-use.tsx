import './plan-use.css'
import type { Profile } from '../../../client/farm-client.ts'
import type { Loaded } from '../live/use-loaded.ts'
import { Card, Shown } from '../ui/parts.tsx'
import { bytes, count, counted } from '../words/format.ts'

/** Shares of the plan's limits that are used now. */
export function PlanUse({ of }: { of: Loaded<Profile> }) {
  return (
    <Shown of={of}>
      {({ plan, usage }) =>
        usage && (
          <Card title={`Plan ${plan.name}`} aside={<a href="/settings">All limits</a>}>
            <ul class="plan-use">
              <Used name="Tasks at once" of={usage.tasksAtOnce} words={count} />
              <Used name="Storage" of={usage.storedBytes} words={bytes} />
              {usage.requestsPerMinute && (
                <Used name="Requests this minute" of={usage.requestsPerMinute} words={count} />
              )}
            </ul>
            <p class="quiet">{counted(usage.openJobs, 'job')} in progress.</p>
          </Card>
        )
      }
    </Shown>
  )
}

type Limited = NonNullable<Profile['usage']>['storedBytes']

function Used({
  name,
  of: { used, limit },
  words,
}: {
  name: string
  of: Limited
  words: (value: number) => string
}) {
  return (
    <li class={used >= limit ? 'full' : ''}>
      <span>{name}</span>
      <strong>
        {words(used)} of {words(limit)}
      </strong>
      <progress max={limit} value={Math.min(used, limit)} aria-label={name} />
    </li>
  )
}
