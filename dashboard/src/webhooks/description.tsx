import { useState } from 'preact/hooks'
import type { Webhook } from '../../../client/farm-client.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { FormDialog } from '../ui/form-dialog.tsx'

const longest = 1000

/** Description of a webhook, which can be changed. */
export function Description({
  webhook: { id, description },
  onChange,
}: {
  webhook: Webhook
  onChange: () => void
}) {
  const [isOpen, setOpen] = useState(false)
  const change = async (given: FormData) => {
    const next = { description: String(given.get('description')) }
    const changed = await act(() => farm.webhooks.change(id, next), 'The description is changed.')
    if (!changed) return
    setOpen(false)
    onChange()
  }
  return (
    <p>
      <span dir="auto">{description}</span>{' '}
      <button type="button" class="link" onClick={() => setOpen(true)}>
        {description ? 'Change the description' : 'Describe it'}
      </button>
      {isOpen && (
        <FormDialog
          title="Description of the webhook"
          submit="Save"
          onSubmit={change}
          onClose={() => setOpen(false)}
        >
          <label>
            Description
            <input name="description" maxLength={longest} defaultValue={description} />
          </label>
        </FormDialog>
      )}
    </p>
  )
}
