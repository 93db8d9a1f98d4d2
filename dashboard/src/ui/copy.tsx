import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

const saidMs = 1_500

/** Copies a text. Without a clipboard, as on plain HTTP, it shows the text selected. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const [isShown, setShown] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return setShown(true)
    }
    setCopied(true)
    setTimeout(() => setCopied(false), saidMs)
  }
  return (
    <>
      <button type="button" onClick={copy}>
        <Icon name="copy" size={14} /> {isCopied ? 'Copied' : label}
      </button>
      {isShown && <TextToCopy text={text} />}
    </>
  )
}

/** Text that is selected, for a person to copy. */
export function TextToCopy({ text }: { text: string }) {
  return <textarea ref={select} aria-label="Text to copy" readOnly value={text} />
}

const select = (area: HTMLTextAreaElement | null) => area?.select()
