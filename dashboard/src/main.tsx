import '@fontsource-variable/inter/wght.css'
import './style/tokens.css'
import './style/shell.css'
import './style/parts.css'
import './style/lists.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startLive } from './live/live.ts'
import { startWatching } from './live/watched.ts'
import { startSession } from './session/session.ts'
import { applyDensity } from './settings/choices.ts'
import { applyTheme } from './settings/theme.ts'
import { emptyPictureStoreAtSignOut } from './templates/picture-store.ts'
import { showMarks } from './ui/show-marks.ts'

showMarks()
applyTheme()
applyDensity()
const root = document.getElementById('app')
if (root) void (/^\/farm(?:\/|$)/.test(location.pathname) ? showFarm(root) : showDashboard(root))

function showDashboard(root: HTMLElement): void {
  void startSession()
  startLive()
  startWatching()
  emptyPictureStoreAtSignOut()
  render(<App />, root)
}

/** The operators' pages are another program, with a session of their own. */
async function showFarm(root: HTMLElement): Promise<void> {
  const [{ FarmApp }, { operatorSession }] = await Promise.all([
    import('./farm/farm-app.tsx'),
    import('./farm/api/operator-session.ts'),
  ])
  void operatorSession.start()
  render(<FarmApp />, root)
}
