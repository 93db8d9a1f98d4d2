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
      {isShown && <textarea ref={select} aria-label="Text to copy" readOnly value={text} />}
    </>
  )
}

const select = (area: HTMLTextAreaElement | null) => area?.select()

/** The same act as a request and as a command, to copy. */
export function AsCommand({ curl, command }: { curl: string; command?: string }) {
  return (
    <details class="as-command">
      <summary>Do this from a program</summary>
      <pre>
        <code>{curl}</code>
      </pre>
      <Copy text={curl} label="Copy as curl" />
      {command && (
        <>
          <pre>
            <code>{command}</code>
          </pre>
          <Copy text={command} label="Copy as farm" />
        </>
      )}
    </details>
  )
}

/** Returns a request as a curl command; the key stands in the environment and in no history. */
export function curlOf(method: string, path: string, body?: unknown): string {
  const lines = [`curl -X ${method} ${location.origin}${path}`, `-H "X-Api-Key: $FARM_API_KEY"`]
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`)
  }
  return lines.join(' \\\n  ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
