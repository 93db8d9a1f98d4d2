import { CommandMenu } from '../commands/command-menu.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Card, Page, Shown } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { Agents } from './agents.tsx'
import { browserOf } from './browser-of.ts'
import { limitName, limitValue } from './limits.ts'
import { Keyboard, Look, Notices } from './look.tsx'

export function Settings() {
  const profile = useLoaded((signal) => farm.profile({ signal }), [])
  return (
    <Page
      title="Settings"
      commands={() => [
        { action: 'signIn', body: { email: 'you@example.com', password: '…' } },
        { action: 'listSessions' },
        { action: 'endOtherSessions' },
        { action: 'changePassword', body: { current: '…', next: '…' } },
        { action: 'listAgents' },
      ]}
    >
      <Card title="Account">
        <Shown of={profile}>
          {({ user, plan }) => (
            <dl class="facts">
              <div>
                <dt>User</dt>
                <dd dir="auto">
                  {`${user.firstName} ${user.lastName}`.trim()} {user.email}
                </dd>
              </div>
              <div>
                <dt>Plan</dt>
                <dd>{plan.name}</dd>
              </div>
              {Object.entries(plan.limits).map(([name, limit]) => (
                <div key={name}>
                  <dt>{limitName(name)}</dt>
                  <dd>{limitValue(name, limit)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Shown>
      </Card>
      <Look />
      <Notices />
      <Keyboard />
      <Agents />
      <Sessions />
      <Password />
    </Page>
  )
}

function Sessions() {
  const sessions = useLoaded((signal) => farm.sessions.list({ signal }), [])
  const end = async (id: string) => {
    await act(() => farm.sessions.end(id), 'The session is ended.')
    sessions.reload()
  }
  const endOthers = async () => {
    await act(() => farm.sessions.endOthers(), 'All other sessions are ended.')
    sessions.reload()
  }
  return (
    <Card
      title="Sessions"
      aside={
        <button type="button" onClick={endOthers}>
          End all others
        </button>
      }
    >
      <Shown of={sessions}>
        {(shown) => (
          <ul class="rows">
            {shown.map((each) => (
              <li key={each.id} class="row">
                <span class="row-name">
                  <span dir="auto">{browserOf(each.userAgent)}</span>
                  <span class="quiet">
                    since <Time at={each.createdAt} />
                    {each.lastUsedAt && (
                      <>
                        , last used <Time at={each.lastUsedAt} />
                      </>
                    )}
                  </span>
                </span>
                {each.isCurrent ? (
                  <span class="quiet">this one</span>
                ) : (
                  <>
                    <button type="button" onClick={() => end(each.id)}>
                      End
                    </button>
                    <CommandMenu
                      about={browserOf(each.userAgent)}
                      of={() => [{ action: 'endSession', id: each.id }]}
                    />
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Card>
  )
}

function Password() {
  const [isBusy, during] = useBusy()
  const change = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = new FormData(form)
    const wanted = { current: String(given.get('current')), next: String(given.get('next')) }
    await during(async () => {
      const isChanged = await act(async () => {
        await farm.sessions.changePassword(wanted)
        return true
      }, 'The password is changed; all other sessions are ended.')
      if (isChanged) form.reset()
    })
  }
  return (
    <Card title="Password">
      <form class="fields" onSubmit={change}>
        <label>
          Present password
          <input name="current" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password
          <input name="next" type="password" autocomplete="new-password" required minLength={12} />
        </label>
        <button type="submit" aria-disabled={isBusy}>
          Change it
        </button>
      </form>
    </Card>
  )
}
