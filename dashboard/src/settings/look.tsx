import './settings.css'
import { useState } from 'preact/hooks'
import { Card } from '../ui/parts.tsx'
import { ShortcutList } from '../ui/shortcuts.tsx'
import { densities, density, notices, shortcuts, zone, zones } from './choices.ts'
import { applyTheme, theme, themes } from './theme.ts'

/** Choices of this browser: how pages look, and how they tell what happened. */
export function Look() {
  return (
    <Card title="Look">
      <div class="choices">
        <Choice name="Theme" of={themes} now={theme.value} onChoose={applyTheme} />
        <Choice
          name="Time zone"
          of={zones}
          now={zone.now.value}
          onChoose={(chosen) => zone.choose(chosen)}
        />
        <Choice
          name="Density"
          of={densities}
          now={density.now.value}
          onChoose={(chosen) => density.choose(chosen)}
        />
      </div>
    </Card>
  )
}

function Choice<T extends string>({
  name,
  of,
  now,
  onChoose,
}: {
  name: string
  of: readonly T[]
  now: T
  onChoose: (chosen: T) => void
}) {
  return (
    <label>
      {name}
      <select value={now} onChange={(event) => onChoose(event.currentTarget.value as T)}>
        {of.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    </label>
  )
}

export function Notices() {
  const isThere = 'Notification' in window
  const [permission, setPermission] = useState(isThere ? Notification.permission : 'denied')
  const choose = async (isWanted: boolean) => {
    if (!isWanted) return notices.choose('off')
    const given = await Notification.requestPermission()
    setPermission(given)
    notices.choose(given === 'granted' ? 'on' : 'off')
  }
  const isOn = notices.now.value === 'on' && permission === 'granted'
  return (
    <Card title="Notifications">
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={!isThere || permission === 'denied'}
          onChange={(event) => choose(event.currentTarget.checked)}
        />{' '}
        Notify me when a job that I watch ends
      </label>
      <p class="quiet">
        {permission === 'denied'
          ? 'This browser does not allow notifications of this page.'
          : 'At most one in ten seconds, and none while a page of the farm has the focus.'}{' '}
        The button Watch stands on the page of each job.
      </p>
    </Card>
  )
}

export function Keyboard() {
  return (
    <Card title="Keyboard">
      <label class="check">
        <input
          type="checkbox"
          checked={shortcuts.now.value === 'on'}
          onChange={(event) => shortcuts.choose(event.currentTarget.checked ? 'on' : 'off')}
        />{' '}
        Shortcuts of single keys
      </label>
      <details>
        <summary>All shortcuts</summary>
        <ShortcutList />
      </details>
    </Card>
  )
}
