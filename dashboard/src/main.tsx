import '@fontsource-variable/inter/wght.css'
import './style/tokens.css'
import './style/shell.css'
import './style/parts.css'
import './style/lists.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startLive } from './live/live.ts'
import { startSession } from './session/session.ts'
import { applyTheme } from './settings/theme.ts'

applyTheme()
void startSession()
startLive()
const root = document.getElementById('app')
if (root) render(<App />, root)
