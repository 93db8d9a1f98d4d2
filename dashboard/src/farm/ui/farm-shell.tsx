import type { ComponentChildren } from 'preact'
import { type OperatorRole, roleIncludes } from '../../../../core/operators/roles.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Room, Shell } from '../../ui/shell.tsx'
import { Shortcuts } from '../../ui/shortcuts.tsx'
import { SignOut } from '../../ui/sign-out.tsx'
import { me, readOnly } from '../api/me.ts'
import { connection } from '../api/operator-api.ts'
import { operatorSession } from '../api/operator-session.ts'

const rooms: readonly (readonly [...Room, key: string])[] = [
  ['/farm', 'Now', 'overview', 'o'],
  ['/farm/nodes', 'Nodes', 'bulks', 'n'],
  ['/farm/pools', 'Pools', 'templates', 'p'],
  ['/farm/queue', 'Queue', 'waiting', 'q'],
  ['/farm/jobs', 'Jobs', 'jobs', 'j'],
  ['/farm/accounts', 'Accounts', 'credits', 'a'],
  ['/farm/alerts', 'Alerts', 'failed', 'e'],
  ['/farm/maintenance', 'Maintenance', 'waiting', 'm'],
  ['/farm/quarantines', 'Quarantines', 'failed', 'u'],
  ['/farm/certificates', 'Certificates', 'keys', 't'],
  ['/farm/audit', 'Audit', 'search', 'l'],
  ['/farm/access', 'Requests', 'webhooks', 'r'],
  ['/farm/charts', 'Charts', 'webhooks', 'c'],
  ['/farm/operators', 'Operators', 'keys', 'w'],
]

const pagesByKey = Object.fromEntries(rooms.map(([path, name, , key]) => [key, [path, name]])) as {
  readonly [key: string]: readonly [path: string, name: string]
}

/** Rooms that not every role may read. */
const roles: Readonly<Record<string, OperatorRole>> = {
  '/farm/access': 'operator',
  '/farm/operators': 'admin',
}

function isOpen([path]: (typeof rooms)[number]): boolean {
  const needed = roles[path]
  return needed === undefined || (me.value !== undefined && roleIncludes(me.value.role, needed))
}

/** Frame of the operators' pages: who one is, and whether one may change things. */
export function FarmShell({ children }: { children: ComponentChildren }) {
  return (
    <Shell
      label="Farm"
      brand="Operate the farm"
      home="/farm"
      rooms={rooms.filter(isOpen).map(([path, name, icon]) => [path, name, icon])}
      end={<Identity />}
      isLost={connection.value === 'lost'}
      shortcuts={<Shortcuts pages={pagesByKey} />}
    >
      {children}
    </Shell>
  )
}

/** On a listener of the operators' own the customers' pages have another origin. */
function customersPages(url = location.origin): string {
  return new URL(url).origin === location.origin ? '/' : url
}

/** Operator who is signed in, the switch that hides all changes, and the ways out. */
function Identity() {
  const own = me.value
  const isReadOnly = readOnly.now.value === 'on'
  return (
    <>
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
        <a href={customersPages(own?.customersUrl)}>
          <Icon name="templates" /> <span>Customers’ pages</span>
        </a>
      </li>
      <li>
        <SignOut signOut={operatorSession.signOut} />
      </li>
    </>
  )
}
