import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useLayoutEffect } from 'preact/hooks'
import { CommandMenu } from '../commands/command-menu.tsx'
import type { Command } from '../commands/texts.ts'
import type { Loaded } from '../live/use-loaded.ts'
import { Icon } from './icon.tsx'
import { arriveAtHeading, focusContent, focusHeading } from './keep-focus.ts'
import { setTitle } from './title.ts'

/** True within a page. */
const InPage = createContext(false)

/** Page of the dashboard: its heading, its actions, its title in the tab. */
export function Page({
  title,
  lead,
  actions,
  commands,
  children,
}: {
  title: string
  lead?: ComponentChildren
  actions?: ComponentChildren
  /** Acts of the page, to copy as commands. */
  commands?: () => readonly Command[]
  children: ComponentChildren
}) {
  useEffect(() => {
    setTitle(`${title} · Render farm`)
  }, [title])
  // Also when a button is gone that had it.
  useLayoutEffect(focusHeading)
  useLayoutEffect(arriveAtHeading, [])
  return (
    <>
      <header class="page-head">
        <div>
          <h1 dir="auto" tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="quiet">{lead}</p>}
        </div>
        {(actions || commands) && (
          <div class="actions">
            {actions}
            {commands && <CommandMenu of={commands} />}
          </div>
        )}
      </header>
      <InPage.Provider value={true}>{children}</InPage.Provider>
    </>
  )
}

export function Card({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="card" aria-label={title}>
      <header class="card-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

/**
 * Shows what was read, or why it could not be; never a spinner over old data. A page that needs what was read to
 * be one gets a heading nevertheless.
 */
export function Shown<T>({
  of,
  children,
}: {
  of: Pick<Loaded<T>, 'data' | 'error' | 'reload'>
  children: (data: T) => ComponentChildren
}) {
  const { data, error, reload } = of
  const isInPage = useContext(InPage)
  if (data === undefined && error && !isInPage) {
    return (
      <Page title="This page cannot be shown">
        <Fault error={error} onRetry={reload} />
      </Page>
    )
  }
  return (
    <>
      {error && <Fault error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && !error && <Loading />}
    </>
  )
}

export function Loading() {
  useLayoutEffect(focusContent, [])
  return <p class="quiet loading unread">Loading…</p>
}

export function Fault({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <p class="fault" role="alert">
      {error.message}{' '}
      {onRetry && (
        <button type="button" class="link" onClick={onRetry}>
          Try again
        </button>
      )}
    </p>
  )
}

/** Says that a list is empty, with the one thing that fills it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

export function Progress({ value, label }: { value: number; label: string }) {
  return <progress max={100} value={value} aria-label={label} />
}

/** Picture by a signed address, or the sign for one that there is not yet. */
export function Picture({ src }: { src: string | null | undefined }) {
  return (
    <span class="picture">
      {src ? (
        <img src={src} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />
      ) : (
        <Icon name="picture" />
      )}
    </span>
  )
}

/** One number with its name, and a note on it. */
export function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div class="figure">
      <span class="quiet">{name}</span>
      <strong>{value}</strong>
      {note && <span class="quiet">{note}</span>}
    </div>
  )
}
