import type { ComponentChildren } from 'preact'
import { connection } from './live/live.ts'
import { isOperatorHere, signOut } from './session/session.ts'
import { Icon } from './ui/icon.tsx'
import { type Room, Shell } from './ui/shell.tsx'
import { Shortcuts } from './ui/shortcuts.tsx'
import { SignOut } from './ui/sign-out.tsx'

const rooms: readonly Room[] = [
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

/** Frame of the customers' pages. */
export function CustomerShell({ children }: { children: ComponentChildren }) {
  return (
    <Shell
      label="Dashboard"
      brand="Render farm"
      home="/"
      rooms={rooms}
      end={<WaysOut />}
      isLost={connection.value === 'lost'}
      shortcuts={<Shortcuts />}
    >
      {children}
    </Shell>
  )
}

function WaysOut() {
  return (
    <>
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
        <SignOut signOut={signOut} />
      </li>
    </>
  )
}
