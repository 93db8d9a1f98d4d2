import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useBusy } from '../ui/use-busy.ts'
import type { TabSession } from './tab-session.ts'

export function SignIn({
  title,
  session,
  children,
}: {
  title: string
  session: Pick<TabSession, 'refusal' | 'signIn'>
  children: ComponentChildren
}) {
  const [fault, setFault] = useState(session.refusal.value)
  const [isBusy, during] = useBusy()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    await during(async () => {
      try {
        await session.signIn(String(given.get('email')), String(given.get('password')))
      } catch (error) {
        setFault(error instanceof Error ? error.message : String(error))
      }
    })
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>
          <img src="/icon.svg" alt="" width="28" height="28" /> {title}
        </h1>
        <label>
          Email
          <input name="email" type="email" autocomplete="username" required maxLength={320} />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Sign in
        </button>
        <p class="quiet">{children}</p>
      </form>
    </main>
  )
}
