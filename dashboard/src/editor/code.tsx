import { useEffect, useRef } from 'preact/hooks'
import { toast } from '../ui/toast.tsx'
import type { CodeView } from './code-view.ts'
import type { LanguageAnswer, LanguageQuestion } from './json-language.ts'
import { nestingRule } from './nesting.ts'

/** The JSON editor. It loads once the page has been painted. */
export function Code({
  text,
  onChange,
  onCaret,
  onOpen,
  ask,
}: {
  text: string
  onChange: (text: string) => void
  onCaret: (offset: number) => void
  onOpen: (view: CodeView) => void
  ask: (question: LanguageQuestion) => Promise<LanguageAnswer>
}) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef({ text, onChange, onCaret, onOpen, ask })
  latest.current = { text, onChange, onCaret, onOpen, ask }
  useEffect(() => {
    let view: CodeView | undefined
    let isGone = false
    void import('./code-view.ts').then(({ openCode }) => {
      const parent = host.current
      if (isGone || !parent) return
      view = openCode({
        parent,
        text: latest.current.text,
        onChange: (changed) => latest.current.onChange(changed),
        onCaret: (offset) => latest.current.onCaret(offset),
        onTooDeep: () => toast(nestingRule),
        ask: (question) => latest.current.ask(question),
      })
      latest.current.onOpen(view)
    })
    return () => {
      isGone = true
      view?.destroy()
    }
  }, [])
  return <div ref={host} class="code" />
}
