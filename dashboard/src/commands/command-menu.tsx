import type { ComponentType } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Icon } from '../ui/icon.tsx'
import { toast } from '../ui/toast.tsx'
import type { Command } from './texts.ts'

type List = ComponentType<{ readonly commands: readonly Command[] }>
let List: List | undefined

/** Button `</>`, which shows the acts beside it as curl and as farm commands. */
export function CommandMenu({
  of,
  about,
}: {
  of: () => readonly Command[]
  /** Row that the acts are of; the page itself without it. */
  about?: string
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const label = about ? `Commands: ${about}` : 'Commands'
  const onToggle = async ({ newState }: ToggleEvent) => {
    if (newState === 'open') {
      try {
        List ??= (await import('./command-list.tsx')).CommandList
      } catch {
        return toast('The commands could not be loaded. Load the page again.')
      }
    }
    setOpen(newState === 'open')
  }
  return (
    <>
      <button
        type="button"
        class="commands-button"
        popovertarget={id}
        aria-label={label}
        title="As curl and as farm"
      >
        <Icon name="editor" size={16} />
      </button>
      <div
        id={id}
        popover="auto"
        class="commands"
        role="dialog"
        aria-label={label}
        onToggle={onToggle}
      >
        {isOpen && List && <List commands={of()} />}
      </div>
    </>
  )
}
