import { useState } from 'preact/hooks'
import { Json } from '../../ui/json.tsx'
import { Card } from '../../ui/parts.tsx'
import { mayChange } from '../api/me.ts'
import { change } from '../api/operator-api.ts'
import { ChangeButton } from '../ui/change-button.tsx'

/** The customer's request and film. Reading either is on record, with its reason. */
export function JobFiles({ jobId }: { jobId: string }) {
  const [request, setRequest] = useState<string>()
  const [film, setFilm] = useState<string | null>()
  if (!mayChange('operator')) return null
  return (
    <Card title="The customer’s request and film">
      <p class="quiet">Reading them is an act on record.</p>
      <div class="actions">
        <ChangeButton
          needs="operator"
          label="Read the request"
          title="Read the customer’s request"
          done="The reading is on record"
          command={`farm jobs show ${jobId} --payload`}
          send={async ({ why }) => {
            const route = 'POST /api/operator/jobs/{job}/read-request'
            const answer = await change(route, { job: jobId, body: { why } })
            setRequest(JSON.stringify(answer.request, null, 2))
          }}
        />
        <ChangeButton
          needs="operator"
          label="Get the film"
          title="Get the address of the customer’s film"
          done="The reading is on record"
          command={`curl -X POST ${location.origin}/api/operator/jobs/${jobId}/read-output #`}
          send={async ({ why }) => {
            const route = 'POST /api/operator/jobs/{job}/read-output'
            setFilm((await change(route, { job: jobId, body: { why } })).url)
          }}
        />
      </div>
      {film === null && <p>It has no film.</p>}
      {film && (
        <p>
          <a href={film} target="_blank" rel="noreferrer">
            Open the film
          </a>
        </p>
      )}
      {request !== undefined && <Json text={request} label="Request" />}
    </Card>
  )
}
