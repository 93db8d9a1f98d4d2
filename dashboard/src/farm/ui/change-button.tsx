import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OperatorRole } from '../../../../core/operators/roles.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { mayChange } from '../api/me.ts'
import { change, OperatorApiError } from '../api/operator-api.ts'
import { quoted } from './quoted.ts'

const whyLeast = 3
const whyMost = 500

type Commands = string | readonly string[]
type Given = { readonly why: string; readonly given: FormData }

export type ChangeProps = {
  readonly needs: OperatorRole
  /** Words of the button. */
  readonly label: string
  /** Question of the dialog. */
  readonly title: string
  /** Said when it is done. */
  readonly done: string
  /** The same as commands, without the reason. */
  readonly command: Commands | ((given: FormData | undefined) => Commands)
  readonly send: (given: Given) => Promise<unknown>
  readonly onDone?: () => void
  /** Sentence on the consequences, and fields. */
  readonly children?: ComponentChildren
  readonly kind?: 'danger' | 'primary' | 'plain'
  readonly hint?: string
}

/**
 * A change of the farm: it asks for the reason, which goes on record, and shows the command that does
 * the same. Who may not do it sees no button.
 */
export function ChangeButton({ needs, label, hint, kind = 'plain', ...dialog }: ChangeProps) {
  const [isOpen, setOpen] = useState(false)
  if (!mayChange(needs)) return null
  return (
    <>
      <button
        type="button"
        class={kind === 'plain' ? undefined : kind}
        aria-label={hint}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && <ChangeDialog {...dialog} label={label} onClose={() => setOpen(false)} />}
    </>
  )
}

function ChangeDialog({
  label,
  title,
  done,
  command,
  send,
  onDone,
  onClose,
  children,
}: Omit<ChangeProps, 'needs' | 'kind' | 'hint'> & { readonly onClose: () => void }) {
  const [fault, setFault] = useState('')
  const [needsPassword, setNeedsPassword] = useState(false)
  const [typed, setTyped] = useState<FormData>()
  const submit = async (given: FormData) => {
    try {
      if (needsPassword) await confirm(String(given.get('password')))
      await send({ why: String(given.get('why')).trim(), given })
      toast(done)
      onClose()
      onDone?.()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      if (error instanceof OperatorApiError && error.needsPassword) setNeedsPassword(true)
    }
  }
  const commands = [typeof command === 'function' ? command(typed) : command].flat()
  const why = quoted(String(typed?.get('why') ?? '').trim() || '…')
  return (
    <FormDialog title={title} submit={label} onSubmit={submit} onClose={onClose} onInput={setTyped}>
      {children}
      <label>
        Reason, for the audit log
        <input name="why" required minLength={whyLeast} maxLength={whyMost} autocomplete="off" />
      </label>
      {needsPassword && (
        <label>
          Your password, once more
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
      )}
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <pre class="change-command">
        <code>{commands.map((each) => `${each} --why ${why}`).join('\n')}</code>
      </pre>
    </FormDialog>
  )
}

async function confirm(password: string): Promise<void> {
  await change('POST /api/operator/auth/confirm', { body: { password } })
}
