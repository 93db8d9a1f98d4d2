import { answerLanguage, type LanguageQuestion } from './json-language.ts'
import { judge, type Question } from './judge.ts'

export type Asked =
  | { readonly id: number; readonly kind: 'judge'; readonly question: Question }
  | { readonly id: number; readonly kind: 'language'; readonly question: LanguageQuestion }

/** The farm's own rules and the language of projects, beside the page, so that typing never waits. */
self.addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const { id } = data
  try {
    const answer =
      data.kind === 'judge' ? judge(data.question) : await answerLanguage(data.question)
    self.postMessage({ id, answer })
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
