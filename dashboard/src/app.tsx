import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso'
import { CustomerShell } from './customer-shell.tsx'
import { refusal, session, signIn } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { lazyPage } from './ui/lazy-page.tsx'
import { Page } from './ui/parts.tsx'

const Overview = lazyPage(() => import('./overview/overview.tsx').then((m) => m.Overview))
const Jobs = lazyPage(() => import('./jobs/jobs.tsx').then((m) => m.Jobs))
const Job = lazyPage(() => import('./jobs/job.tsx').then((m) => m.JobPage))
const Bulks = lazyPage(() => import('./bulks/bulks.tsx').then((m) => m.Bulks))
const NewBulk = lazyPage(() => import('./bulks/new-bulk.tsx').then((m) => m.NewBulk))
const Bulk = lazyPage(() => import('./bulks/bulk.tsx').then((m) => m.BulkPage))
const Templates = lazyPage(() => import('./templates/templates.tsx').then((m) => m.Templates))
const Template = lazyPage(() => import('./templates/template.tsx').then((m) => m.TemplatePage))
const Editor = lazyPage(() => import('./editor/editor.tsx').then((m) => m.Editor))
const Webhooks = lazyPage(() => import('./webhooks/webhooks.tsx').then((m) => m.Webhooks))
const Webhook = lazyPage(() => import('./webhooks/webhook.tsx').then((m) => m.WebhookPage))
const Keys = lazyPage(() => import('./keys/keys.tsx').then((m) => m.Keys))
const Credits = lazyPage(() => import('./credits/credits.tsx').then((m) => m.Credits))
const Settings = lazyPage(() => import('./settings/settings.tsx').then((m) => m.Settings))

/**
 * Links to pages. The browser follows others, such as a file's signed address, which names this origin
 * where the farm keeps its files in a folder.
 */
const pages = /^\/(?!(?:(?:api|docs|download|objects|play|watch)\/|farm(?:\/|$)))/

export function App() {
  if (session.value === 'starting') return <p class="loading">Signing in…</p>
  if (session.value === 'signed out') {
    return (
      <SignIn title="Render farm" session={{ refusal, signIn }}>
        A farm on your own machine: <code>farm dev</code> prints an address that signs in.
      </SignIn>
    )
  }
  return (
    <LocationProvider scope={pages}>
      <CustomerShell>
        <ErrorBoundary>
          <Router>
            <Route path="/" component={Overview} />
            <Route path="/jobs" component={Jobs} />
            <Route path="/jobs/:id" component={Job} />
            <Route path="/bulks" component={Bulks} />
            <Route path="/bulks/new" component={NewBulk} />
            <Route path="/bulks/:id" component={Bulk} />
            <Route path="/templates" component={Templates} />
            <Route path="/templates/:id" component={Template} />
            <Route path="/editor" component={Editor} />
            <Route path="/webhooks" component={Webhooks} />
            <Route path="/webhooks/:id" component={Webhook} />
            <Route path="/keys" component={Keys} />
            <Route path="/credits" component={Credits} />
            <Route path="/settings" component={Settings} />
            <Route default component={Nowhere} />
          </Router>
        </ErrorBoundary>
      </CustomerShell>
    </LocationProvider>
  )
}

function Nowhere() {
  return (
    <Page title="No such page">
      <p>
        The dashboard has no page at this address. <a href="/">Go to the overview</a>.
      </p>
    </Page>
  )
}
