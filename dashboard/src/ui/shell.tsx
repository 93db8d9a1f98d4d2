import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { connection } from '../live/live.ts'
import { isOperatorHere, signOut } from '../session/session.ts'
import { Icon, type IconName } from './icon.tsx'
import { keepFocusIn } from './keep-focus.ts'
import { LostBanner } from './lost-banner.tsx'
import { useRoomInSight } from './room-in-sight.ts'
import { Shortcuts } from './shortcuts.tsx'
import { Toasts } from './toast.tsx'

const rooms: readonly (readonly [path: string, name: string, icon: IconName])[] = [
  ['/', 'Overview', 'overview'],
  ['/jobs', 'Jobs', 'jobs'],
  ['/bulks', 'Bulks', 'bulks'],
  ['/templates', 'Templates', 'templates'],
  ['/editor', 'Editor', 'editor'],
  ['/webhooks', 'Webhooks', 'webhooks'],
  ['/keys', 'API keys', 'keys'],
  ['/credits', 'Credits', 'credits'],
  ['/settings', 'Settings', 'settings'],
]

/** Frame of every page: where one can go, who is signed in, whether what is shown is of now. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => (main.current ? keepFocusIn(main.current) : undefined), [])
  const menu = useRoomInSight(path)
  const isHere = (room: string) => (room === '/' ? path === '/' : path.startsWith(room))
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <nav aria-label="Dashboard" ref={menu}>
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="26" height="26" /> <span>Render farm</span>
        </a>
        <ul>
          {rooms.map(([room, name, icon]) => (
            <li key={room}>
              <a href={room} aria-current={isHere(room) ? 'page' : undefined}>
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <ul class="nav-end">
          {isOperatorHere() && (
            <li>
              <a href="/farm">
                <Icon name="overview" /> <span>Operate the farm</span>
              </a>
            </li>
          )}
          <li>
            <a href="/docs" target="_blank" rel="noreferrer">
              <Icon name="templates" /> <span>API reference</span>
            </a>
          </li>
          <li>
            <button type="button" onClick={signOut}>
              <Icon name="signOut" /> <span>Sign out</span>
            </button>
          </li>
        </ul>
      </nav>
      <main id="content" tabIndex={-1} ref={main}>
        {children}
      </main>
      <LostBanner isLost={connection.value === 'lost'} />
      <Shortcuts />
      <Toasts />
    </div>
  )
}
