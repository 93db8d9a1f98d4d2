import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'
import { useBusy } from './use-busy.ts'

/** Last item of a menu. A session that the farm has not ended goes on, and the page says so. */
export function SignOut({ signOut }: { signOut: () => Promise<void> }) {
  const [isBusy, during] = useBusy()
  const leave = () =>
    during(() =>
      signOut().catch(() => toast('You are still signed in: the farm cannot be reached.')),
    )
  return (
    <button type="button" aria-disabled={isBusy} onClick={leave}>
      <Icon name="signOut" /> <span>Sign out</span>
    </button>
  )
}
