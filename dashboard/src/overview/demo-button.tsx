import { useLocation } from 'preact-iso'
import type { RenderPayload } from '../../../client/farm-client.ts'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Icon } from '../ui/icon.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { demo, keepDemoJob } from './demo-job.ts'

/** Renders the library's demo film, and opens its job. */
export function DemoButton({ isPrimary = false }: { isPrimary?: boolean }) {
  const { route } = useLocation()
  const [isBusy, during] = useBusy()
  const render = () =>
    during(async () => {
      const accepted = await act(async () => {
        const payload = await caller.fetch<RenderPayload>(
          `GET /api/library/examples/${demo}/content`,
          {},
          (response) => response.json(),
        )
        return await farm.submit({ payload })
      }, 'The demo film renders.')
      if (!accepted) return
      keepDemoJob(accepted.jobId)
      route(`/jobs/${accepted.jobId}`)
    })
  return (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      aria-disabled={isBusy}
      onClick={render}
    >
      <Icon name="play" size={16} /> Render the demo film
    </button>
  )
}
