import '../jobs/jobs.css'
import './farm.css'
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso'
import { SignIn } from '../session/sign-in.tsx'
import { Page } from '../ui/parts.tsx'
import { loadMe, me } from './api/me.ts'
import { operatorSession } from './api/operator-session.ts'
import { FarmShell } from './ui/farm-shell.tsx'

const Now = lazy(() => import('./now/now.tsx').then((m) => m.Now))
const Nodes = lazy(() => import('./nodes/nodes.tsx').then((m) => m.Nodes))
const Node = lazy(() => import('./nodes/node.tsx').then((m) => m.NodePage))

/** Links to the operators' pages; the browser follows all others, to the customers' pages, too. */
const pages = /^\/farm(?:\/|$)/

export function FarmApp() {
  const state = operatorSession.state.value
  useEffect(() => {
    me.value = undefined
    if (state === 'signed in') loadMe().catch(() => undefined)
  }, [state])
  if (state === 'starting') return <p class="loading">Signing in…</p>
  if (state === 'signed out') {
    return (
      <SignIn title="Operate the farm" session={operatorSession}>
        The first operator is made on the farm: <code>farm operators create</code>. Customers sign
        in <a href="/">at the dashboard</a>.
      </SignIn>
    )
  }
  return (
    <LocationProvider scope={pages}>
      <FarmShell>
        <ErrorBoundary>
          <Router>
            <Route path="/farm" component={Now} />
            <Route path="/farm/nodes" component={Nodes} />
            <Route path="/farm/nodes/:node" component={Node} />
            <Route default component={Nowhere} />
          </Router>
        </ErrorBoundary>
      </FarmShell>
    </LocationProvider>
  )
}

function Nowhere() {
  return (
    <Page title="No such page">
      <p>
        The farm has no page at this address. <a href="/farm">Go to what happens now</a>.
      </p>
    </Page>
  )
}
