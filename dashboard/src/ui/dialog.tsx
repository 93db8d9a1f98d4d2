import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
  useEffect(() => {
    const opener = document.activeElement
    ref.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
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
