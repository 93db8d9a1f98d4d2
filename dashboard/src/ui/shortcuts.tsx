import './shortcuts.css'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { shortcuts } from '../settings/choices.ts'
import { Dialog } from './dialog.tsx'
import { keyPair } from './key-pair.ts'
import { isTyping } from './typing.ts'

/** Pages by the letter after `g`. */
type Pages = Readonly<Record<string, readonly [path: string, name: string]>>

const customersPages: Pages = {
  o: ['/', 'Overview'],
  j: ['/jobs', 'Jobs'],
  b: ['/bulks', 'Bulks'],
  t: ['/templates', 'Templates'],
  e: ['/editor', 'Editor'],
  w: ['/webhooks', 'Webhooks'],
  k: ['/keys', 'API keys'],
  c: ['/credits', 'Credits'],
  s: ['/settings', 'Settings'],
}

const everywhere = [
  ['?', 'This sheet'],
  ['/', 'Search, where a page can'],
  ['j, k or arrows', 'Next and previous row of a list'],
  ['x', 'Choose the row of a list, or not'],
  ['Home, End', 'First and last row of a list'],
  [', and .', 'A frame back and on in a film'],
  ['j, k, l', 'Film: backwards, stop or play, forwards; again: twice as fast'],
  ['Shift and arrows', 'Move an element of the timeline by a frame'],
  ['Esc', 'Close a dialog'],
] as const

/** Time for the letter after `g`. */
const pairMs = 1_500

/** Keys that work on every page, and the sheet that lists them. */
export function Shortcuts({ pages = customersPages }: { pages?: Pages }) {
  const { route } = useLocation()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (shortcuts.now.value === 'off' || isTyping(event)) return
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const page = pages[event.key]
      if (performance.now() < keyPair.until && page) {
        keyPair.until = 0
        // The letter is not a page's own key as well.
        event.preventDefault()
        return route(page[0])
      }
      keyPair.until = event.key === 'g' ? performance.now() + pairMs : 0
      if (event.key === '?') setOpen(true)
      if (event.key !== '/') return
      const search = document.querySelector<HTMLElement>('main input[type=search]')
      if (search) event.preventDefault()
      search?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [route])
  if (!isOpen) return null
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      <ShortcutList pages={pages} />
      <div class="actions">
        <button type="button" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

export function ShortcutList({ pages = customersPages }: { pages?: Pages }) {
  const goes = Object.entries(pages).map(([key, [, name]]) => [`g ${key}`, name] as const)
  return (
    <dl class="keys">
      {[...everywhere, ...goes].map(([key, words]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  )
}
