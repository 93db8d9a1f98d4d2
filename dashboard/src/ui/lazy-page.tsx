import type { ComponentType } from 'preact'
import { useEffect, useReducer, useRef } from 'preact/hooks'
import { connection } from '../live/live.ts'
import { Fault, Page } from './parts.tsx'

/**
 * Loads a page when it is first shown. A failure is said and forgotten, so that it can be tried again.
 * An upgrade has replaced the page's file where the farm answers all the same: the tab reloads, once.
 */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined
  let fault: Error | undefined
  let loading: Promise<void> | undefined
  const read = async () => {
    try {
      loaded = await load()
      fault = undefined
      allowReload()
    } catch (error) {
      if (await isReloading()) return await new Promise<never>(() => undefined)
      fault = error as Error
    } finally {
      loading = undefined
    }
  }
  const forget = () => {
    fault = undefined
  }
  return function LazyPage() {
    const [, show] = useReducer((shown: number) => shown + 1, 0)
    const isAwaited = useRef(false)
    if (loaded) {
      const Loaded = loaded
      return <Loaded />
    }
    if (fault) return <Unloaded read={() => read().then(() => show(0))} forget={forget} />
    loading ??= read()
    if (!isAwaited.current) void loading.then(() => show(0))
    isAwaited.current = true
    throw loading
  }
}

function Unloaded({ read, forget }: { read: () => Promise<void>; forget: () => void }) {
  useEffect(() => {
    let before = connection.value
    const stop = connection.subscribe((state) => {
      if (state === 'live' && before !== 'live') void read()
      before = state
    })
    return () => {
      stop()
      forget()
    }
  }, [])
  return (
    <Page title="The page could not be loaded">
      <Fault error={new Error('The farm did not send the page.')} onRetry={read} />
    </Page>
  )
}

const mark = 'reloaded for a page'

/** Reloads the tab if the farm answers, and if it was not reloaded for a page that failed before. */
async function isReloading(): Promise<boolean> {
  try {
    if (sessionStorage.getItem(mark) !== null) return false
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' })
    if (!ok) return false
    sessionStorage.setItem(mark, '')
    location.reload()
    return true
  } catch {
    return false
  }
}

function allowReload(): void {
  try {
    sessionStorage.removeItem(mark)
  } catch {
    // A forbidden storage never held the mark.
  }
}
