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

applyTheme()
applyDensity()
void startSession()
startLive()
startWatching()
const root = document.getElementById('app')
if (root) render(<App />, root)
