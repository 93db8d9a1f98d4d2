import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { focusHeading } from './keep-focus.ts'

/** Modal dialog. `isKept`: neither Esc nor a click outside closes it. */
export function Dialog({
  title,
  isKept = false,
  onClose,
  children,
}: {
  title: string
  isKept?: boolean
  onClose: () => void
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    dialog?.showModal()
    return () => {
      isGone.current = true
      // While the dialog is open, nothing outside takes the focus.
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
      // An opener that is gone takes no focus, which would go with the dialog.
      const active = document.activeElement
      if (active instanceof HTMLElement && dialog?.contains(active)) active.blur()
      focusHeading()
    }
  }, [])
  const onCancel = (event: Event) => {
    event.preventDefault()
    if (!isKept) onClose()
  }
  const onClick = (event: MouseEvent) => {
    if (event.target === ref.current && !isKept) onClose()
  }
  // A browser closes at the second Esc whatever the page says; then it is opened again.
  const onClosed = () => {
    if (isGone.current) return
    if (isKept) ref.current?.showModal()
    else onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the key; a click outside is a short way.
    <dialog ref={ref} aria-label={title} onCancel={onCancel} onClick={onClick} onClose={onClosed}>
      <div class="dialog">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
