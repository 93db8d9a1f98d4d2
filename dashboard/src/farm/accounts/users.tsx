import { useState } from 'preact/hooks'
import { Card, Shown } from '../../ui/parts.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'

type User = Reply<'GET /api/operator/accounts/{account}/users'>['users'][number]
type SignIn = { readonly email: string; readonly password: string | null }

/** People who sign in to the account. */
export function Users({ account }: { account: string }) {
  const [made, setMade] = useState<SignIn>()
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}/users', { account, signal }),
    [account],
    seldomMs,
  )
  return (
    <Card
      title="Users"
      aside={<NewUser account={account} onMade={setMade} onDone={loaded.reload} />}
    >
      <Shown of={loaded}>
        {({ users }) =>
          users.length === 0 ? (
            <p class="quiet">None: its keys alone open it.</p>
          ) : (
            <ul class="rows">
              {users.map((user) => (
                <UserRow key={user.id} user={user} onMade={setMade} onDone={loaded.reload} />
              ))}
            </ul>
          )
        }
      </Shown>
      {made?.password && (
        <SecretDialog
          title={`Password of ${made.email}`}
          secret={made.password}
          onKept={() => setMade(undefined)}
        />
      )}
    </Card>
  )
}

type Changing = { readonly onMade: (made: SignIn) => void; readonly onDone: () => void }

function UserRow({ user, onMade, onDone }: { user: User } & Changing) {
  const { email, firstName, lastName, sessions, agents, lastUsedAt } = user
  const common = { needs: 'admin', onDone } as const
  return (
    <li class="row">
      <span class="row-name">
        <b dir="auto">{email}</b>
        <span class="quiet" dir="auto">
          {`${firstName} ${lastName}`.trim()} {counted(sessions, 'open session')},{' '}
          {counted(agents, 'agent')}
        </span>
      </span>
      <span class="quiet row-time">
        {lastUsedAt ? <Time at={lastUsedAt} /> : 'never signed in'}
      </span>
      <ChangeButton
        {...common}
        label="New password"
        hint={`New password of ${email}`}
        title={`New password of ${email}`}
        done="The password is new"
        command={`farm users set-password ${quoted(email)}`}
        send={async ({ why }) =>
          onMade(
            await change('POST /api/operator/users/{email}/set-password', {
              ...{ email, body: { why } },
            }),
          )
        }
      >
        <p>All sessions of theirs end, and their agents are disconnected.</p>
      </ChangeButton>
      <ChangeButton
        {...common}
        kind="danger"
        label="Sign out"
        hint={`Sign out ${email}`}
        title={`Sign ${email} out`}
        done={`${email} is signed out everywhere`}
        command={`farm users end-sessions ${quoted(email)}`}
        send={({ why }) =>
          change('POST /api/operator/users/{email}/end-sessions', { email, body: { why } })
        }
      >
        <p>All sessions of theirs end, and their agents are disconnected. The password stays.</p>
      </ChangeButton>
    </li>
  )
}

function NewUser({ account, onMade, onDone }: { account: string } & Changing) {
  return (
    <ChangeButton
      needs="admin"
      label="New user"
      title="New user"
      done="The user may sign in"
      command={(given) =>
        `farm users create ${account} ${quoted(String(given?.get('email') || '…'))}`
      }
      send={async ({ why, given }) => {
        const body = { email: String(given.get('email')), why }
        onMade(await change('POST /api/operator/accounts/{account}/users', { account, body }))
      }}
      onDone={onDone}
    >
      <label>
        Email
        <input name="email" type="email" required maxLength={320} autocomplete="off" />
      </label>
      <p>The farm makes a password and shows it once.</p>
    </ChangeButton>
  )
}
