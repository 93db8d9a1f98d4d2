import type { ApiKey, ApiKeyStats } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { Question } from '../ui/form-dialog.tsx'
import { Shown } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { counted } from '../words/format.ts'

/** Asks before a key is revoked, and says what used it in the last hour. */
export function RevokeQuestion({
  apiKey,
  onYes,
  onNo,
}: {
  apiKey: ApiKey
  onYes: () => void
  onNo: () => void
}) {
  const { id, name, lastUsedAt } = apiKey
  const stats = useLoaded((signal) => farm.apiKeys.stats(id, 1, { signal }), [id])
  return (
    <Question title={`Revoke ${name}?`} yes="Revoke it" no="Keep it" isDanger {...{ onYes, onNo }}>
      <p>
        Programs that use it are refused at once, for good.{' '}
        {lastUsedAt ? (
          <>
            It was last used <Time at={lastUsedAt} />.
          </>
        ) : (
          'It was never used.'
        )}
      </p>
      {lastUsedAt && <Shown of={stats}>{({ lastHour }) => <LastHour {...lastHour} />}</Shown>}
    </Question>
  )
}

function LastHour({ jobs, names }: ApiKeyStats['lastHour']) {
  if (jobs === 0) return <p>In the last hour it submitted no job.</p>
  return (
    <div>
      <p>In the last hour it submitted {counted(jobs, 'job')}:</p>
      <ul class="used-by">
        {names.map((name) => (
          <li key={name} dir="auto">
            {name || 'Untitled'}
          </li>
        ))}
      </ul>
    </div>
  )
}
