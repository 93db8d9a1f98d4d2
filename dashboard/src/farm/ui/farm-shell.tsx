import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { keepFocusIn } from '../../ui/keep-focus.ts'
import { LostBanner } from '../../ui/lost-banner.tsx'
import { useRoomInSight } from '../../ui/room-in-sight.ts'
import { Shortcuts } from '../../ui/shortcuts.tsx'
import { Toasts } from '../../ui/toast.tsx'
import { me, readOnly } from '../api/me.ts'
import { connection } from '../api/operator-api.ts'
import { operatorSession } from '../api/operator-session.ts'

const rooms: readonly (readonly [path: string, name: string, icon: IconName, key: string])[] = [
  ['/farm', 'Now', 'overview', 'o'],
  ['/farm/nodes', 'Nodes', 'bulks', 'n'],
  ['/farm/pools', 'Pools', 'templates', 'p'],
  ['/farm/queue', 'Queue', 'waiting', 'q'],
  ['/farm/jobs', 'Jobs', 'jobs', 'j'],
  ['/farm/accounts', 'Accounts', 'credits', 'a'],
  ['/farm/alerts', 'Alerts', 'failed', 'e'],
  ['/farm/maintenance', 'Maintenance', 'waiting', 'm'],
  ['/farm/quarantines', 'Quarantines', 'failed', 'u'],
  ['/farm/audit', 'Audit', 'search', 'l'],
  ['/farm/charts', 'Charts', 'webhooks', 'c'],
  ['/farm/operators', 'Operators', 'keys', 'w'],
]

const pagesByKey = Object.fromEntries(rooms.map(([path, name, , key]) => [key, [path, name]])) as {
  readonly [key: string]: readonly [path: string, name: string]
}

/** Only admins read who operates the farm. */
const isOpen = ([path]: (typeof rooms)[number]) =>
  path !== '/farm/operators' || me.value?.role === 'admin'

/** Frame of the operators' pages: where one can go, who one is, and whether one may change things. */
export function FarmShell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => (main.current ? keepFocusIn(main.current) : undefined), [])
  const menu = useRoomInSight(path)
  const isHere = (room: string) =>
    room === '/farm' ? path === room : path === room || path.startsWith(`${room}/`)
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <nav aria-label="Farm" ref={menu}>
        <a class="brand" href="/farm">
          <img src="/icon.svg" alt="" width="26" height="26" /> <span>Operate the farm</span>
        </a>
        <ul>
          {rooms.filter(isOpen).map(([room, name, icon]) => (
            <li key={room}>
              <a href={room} aria-current={isHere(room) ? 'page' : undefined}>
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <Identity />
      </nav>
      <main id="content" tabIndex={-1} ref={main}>
        {children}
      </main>
      <LostBanner isLost={connection.value === 'lost'} />
      <Shortcuts pages={pagesByKey} />
      <Toasts />
    </div>
  )
}

/** Operator who is signed in, the switch that hides all changes, and the ways out. */
function Identity() {
  const own = me.value
  const isReadOnly = readOnly.now.value === 'on'
  return (
    <ul class="nav-end">
      {own && (
        <li class="farm-me">
          <span dir="auto" title={own.email}>
            {own.email}
          </span>
          <span class="quiet">{own.role}</span>
        </li>
      )}
      {own && own.role !== 'viewer' && (
        <li>
          <button
            type="button"
            role="switch"
            aria-checked={isReadOnly}
            onClick={() => readOnly.choose(isReadOnly ? 'off' : 'on')}
          >
            <Icon name={isReadOnly ? 'done' : 'cancelled'} />{' '}
            <span>Read only: {isReadOnly ? 'on' : 'off'}</span>
          </button>
        </li>
      )}
      <li>
        <a href="/">
          <Icon name="templates" /> <span>Customers’ pages</span>
        </a>
      </li>
      <li>
        <button type="button" onClick={operatorSession.signOut}>
          <Icon name="signOut" /> <span>Sign out</span>
        </button>
      </li>
    </ul>
  )
}
