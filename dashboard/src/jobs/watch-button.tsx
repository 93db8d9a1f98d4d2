import { watch, watched } from '../live/watched.ts'
import { toast } from '../ui/toast.tsx'

/** Tells when the job ends: in the tab's title, and by the system where the settings allow it. */
export function WatchButton({ id }: { id: string }) {
  const isWatched = watched.value.includes(id)
  const toggle = () => {
    watch(id, !isWatched)
    if (!isWatched)
      toast('Its end is told in the title of this tab. Settings can add a notification.')
  }
  return (
    <button type="button" aria-pressed={isWatched} onClick={toggle}>
      {isWatched ? 'Watched' : 'Watch'}
    </button>
  )
}
