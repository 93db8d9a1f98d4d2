import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { useBusy } from './use-busy.ts'

/** Modal form: its fields, a button that sends them, and one that leaves it. */
export function FormDialog({
  title,
  submit,
  onSubmit,
  onInput,
  onClose,
  children,
}: {
  title: string
  submit: string
  onSubmit: (given: FormData) => Promise<void>
  /** Told at each change of a field. */
  onInput?: (given: FormData) => void
  onClose: () => void
  children: ComponentChildren
}) {
  const [isBusy, during] = useBusy()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    void during(() => onSubmit(given))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="fields"
        onSubmit={send}
        onInput={(event) => onInput?.(new FormData(event.currentTarget))}
      >
        {children}
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {submit}
          </button>
          <button type="button" onClick={onClose}>
            Not now
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Words of which one or more must be chosen. */
export function Checks({ legend, names }: { legend: string; names: readonly string[] }) {
  const judge = (fieldset: HTMLFieldSetElement) => {
    const boxes = [...fieldset.querySelectorAll('input')]
    boxes[0]?.setCustomValidity(boxes.some(({ checked }) => checked) ? '' : 'Tick one or more.')
  }
  return (
    <fieldset onChange={({ currentTarget }) => judge(currentTarget)}>
      <legend>{legend}</legend>
      {names.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" name={name} defaultChecked /> {name}
        </label>
      ))}
    </fieldset>
  )
}

/** Asks before what cannot be undone. */
export function Question({
  title,
  yes,
  no = 'Not now',
  isDanger = false,
  isBusy = false,
  onYes,
  onNo,
  children,
}: {
  title: string
  yes: string
  no?: string
  isDanger?: boolean
  isBusy?: boolean
  onYes: () => void
  onNo: () => void
  children?: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="actions">
        <button
          type="button"
          class={isDanger ? 'danger' : 'primary'}
          aria-disabled={isBusy}
          onClick={onYes}
        >
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          {no}
        </button>
      </div>
    </Dialog>
  )
}
