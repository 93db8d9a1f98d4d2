import { priorities } from '../../../../core/queue/shares.ts'
import { change } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { ChangeButton } from '../ui/change-button.tsx'

type Job = Reply<'GET /api/operator/jobs/{job}'>

const ended = ['completed', 'failed', 'cancelled']

const acts = {
  hold: {
    name: 'Hold',
    done: 'Held',
    says: 'Nothing new of it starts. What runs goes on to its end.',
  },
  pause: {
    name: 'Pause',
    done: 'Paused',
    says: 'Nothing new of it starts, and what runs goes back to the queue.',
  },
  resume: { name: 'Resume', done: 'Goes on', says: 'Its tasks may start again.' },
  cancel: {
    name: 'Cancel',
    done: 'Cancelled',
    says: 'It ends. Its account pays for the frames painted so far.',
  },
  retry: {
    name: 'Submit again',
    done: 'Submitted again, as a new job',
    says: 'A new job with the same request; it costs as much again.',
  },
} as const

/** Buttons for the changes that a job's state allows. */
export function JobChanges({ job, onDone }: { job: Job; onDone: () => void }) {
  const isOpen = !ended.includes(job.state)
  const isHeld = job.heldAt !== null
  const allowed = {
    hold: isOpen && !isHeld,
    pause: isOpen && !isHeld,
    resume: isOpen && isHeld,
    cancel: isOpen,
    retry: job.state === 'failed' || job.state === 'cancelled',
  }
  return (
    <>
      {(Object.keys(acts) as (keyof typeof acts)[])
        .filter((act) => allowed[act])
        .map((act) => (
          <ChangeButton
            key={act}
            needs="operator"
            label={acts[act].name}
            title={`${acts[act].name}: ${job.name}`}
            done={acts[act].done}
            command={`farm jobs ${act} ${job.id}`}
            kind={act === 'cancel' ? 'danger' : 'plain'}
            send={({ why }) =>
              change(`POST /api/operator/jobs/{job}/${act}`, { job: job.id, body: { why } })
            }
            onDone={onDone}
          >
            <p>{acts[act].says}</p>
          </ChangeButton>
        ))}
      {isOpen && <Priority job={job} onDone={onDone} />}
    </>
  )
}

function Priority({ job, onDone }: { job: Job; onDone: () => void }) {
  return (
    <ChangeButton
      needs="operator"
      label="Priority"
      title={`Priority of ${job.name}`}
      done="The priority is changed"
      command={(given) => `farm jobs priority ${job.id} ${given?.get('priority') ?? job.priority}`}
      send={({ why, given }) => {
        const priority = priorities.find((each) => each === given.get('priority')) ?? job.priority
        return change('POST /api/operator/jobs/{job}/priority', {
          ...{ job: job.id, body: { priority, why } },
        })
      }}
      onDone={onDone}
    >
      <label>
        Weight within the share of its account
        <select name="priority" defaultValue={job.priority}>
          {priorities.map((each) => (
            <option key={each} value={each} selected={each === job.priority}>
              {each}
            </option>
          ))}
        </select>
      </label>
    </ChangeButton>
  )
}
