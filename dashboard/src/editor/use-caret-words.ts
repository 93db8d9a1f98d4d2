import { useEffect, useState } from 'preact/hooks'
import type { LanguageAnswer, LanguageQuestion } from './json-language.ts'

const restMs = 200

/** Says what the field at the caret means, for keyboards and touch, which cannot hover. */
export function useCaretWords(
  text: string,
  ask: (question: LanguageQuestion) => Promise<LanguageAnswer>,
) {
  const [offset, onCaret] = useState<number>()
  const [words, setWords] = useState('')
  useEffect(() => {
    if (offset === undefined) return
    let isGone = false
    const timer = setTimeout(async () => {
      const { description } = await ask({ kind: 'describe', text, offset })
      if (!isGone) setWords(description?.text ?? '')
    }, restMs)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [offset, text])
  return { words, onCaret }
}
