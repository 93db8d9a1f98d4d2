import { useRef, useState } from 'preact/hooks'

/**
 * Returns whether an act is going on, and what does one: a second press meanwhile does nothing. Buttons
 * say it by `aria-disabled`, as a disabled one would drop the focus.
 */
export function useBusy(): [
  isBusy: boolean,
  during: (doing: () => Promise<void>) => Promise<void>,
] {
  const [isBusy, setBusy] = useState(false)
  const isGoing = useRef(false)
  const during = async (doing: () => Promise<void>) => {
    if (isGoing.current) return
    isGoing.current = true
    setBusy(true)
    try {
      await doing()
    } finally {
      isGoing.current = false
      setBusy(false)
    }
  }
  return [isBusy, during]
}
