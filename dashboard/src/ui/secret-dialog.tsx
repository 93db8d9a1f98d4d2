import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a secret, this once. Only the button closes it, so that no slip of the hand loses it. */
export function SecretDialog({
  title,
  secret,
  name,
  onKept,
  children,
}: {
  title: string
  secret: string
  /** Name of the variable that programs read it from; absent: none does. */
  name?: string
  onKept: () => void
  /** Programs that use the secret. */
  children?: ComponentChildren
}) {
  const [isClosed, setClosed] = useState(false)
  const keep = () => {
    setClosed(true)
    onKept()
  }
  if (isClosed) return null
  return (
    <Dialog title={title} isKept onClose={keep}>
      <p>The farm shows it this once, and cannot show it again.</p>
      <pre class="secret">
        <code>{secret}</code>
      </pre>
      {children}
      <div class="actions">
        <Copy text={secret} />
        {name && <Copy text={`${name}=${secret}`} label="Copy for .env" />}
        <button type="button" class="primary" onClick={keep}>
          I have kept it
        </button>
      </div>
    </Dialog>
  )
}
