import '../jobs/jobs.css'
import './farm.css'
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso'
import { SignIn } from '../session/sign-in.tsx'
import { lazyPage } from '../ui/lazy-page.tsx'
import { Page } from '../ui/parts.tsx'
import { loadMe, me } from './api/me.ts'
import { operatorSession } from './api/operator-session.ts'
import { FarmShell } from './ui/farm-shell.tsx'

const Now = lazyPage(() => import('./now/now.tsx').then((m) => m.Now))
const Nodes = lazyPage(() => import('./nodes/nodes.tsx').then((m) => m.Nodes))
const Node = lazyPage(() => import('./nodes/node.tsx').then((m) => m.NodePage))
const Pools = lazyPage(() => import('./pools/pools.tsx').then((m) => m.Pools))
const Queue = lazyPage(() => import('./queue/queue.tsx').then((m) => m.Queue))
const Jobs = lazyPage(() => import('./jobs/jobs.tsx').then((m) => m.Jobs))
const Job = lazyPage(() => import('./jobs/job.tsx').then((m) => m.JobPage))
const Log = lazyPage(() => import('./jobs/log.tsx').then((m) => m.LogPage))
const Accounts = lazyPage(() => import('./accounts/accounts.tsx').then((m) => m.Accounts))
const Account = lazyPage(() => import('./accounts/account.tsx').then((m) => m.AccountPage))
const Quarantines = lazyPage(() => import('./nodes/quarantines.tsx').then((m) => m.Quarantines))
const Audit = lazyPage(() => import('./audit/audit.tsx').then((m) => m.Audit))
const Access = lazyPage(() => import('./access/access.tsx').then((m) => m.Access))
const Certificates = lazyPage(() =>
  import('./certificates/certificates.tsx').then((m) => m.Certificates),
)
const Alerts = lazyPage(() => import('./alerts/alerts.tsx').then((m) => m.Alerts))
const Maintenance = lazyPage(() =>
  import('./maintenance/maintenance.tsx').then((m) => m.Maintenance),
)
const Operators = lazyPage(() => import('./operators/operators.tsx').then((m) => m.Operators))
const Charts = lazyPage(() => import('./charts/charts.tsx').then((m) => m.Charts))

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
        in at the dashboard, not here.
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
            <Route path="/farm/pools" component={Pools} />
            <Route path="/farm/queue" component={Queue} />
            <Route path="/farm/jobs" component={Jobs} />
            <Route path="/farm/jobs/:job" component={Job} />
            <Route path="/farm/tasks/:task" component={Log} />
            <Route path="/farm/accounts" component={Accounts} />
            <Route path="/farm/accounts/:account" component={Account} />
            <Route path="/farm/quarantines" component={Quarantines} />
            <Route path="/farm/audit" component={Audit} />
            <Route path="/farm/access" component={Access} />
            <Route path="/farm/certificates" component={Certificates} />
            <Route path="/farm/alerts" component={Alerts} />
            <Route path="/farm/maintenance" component={Maintenance} />
            <Route path="/farm/operators" component={Operators} />
            <Route path="/farm/charts" component={Charts} />
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
