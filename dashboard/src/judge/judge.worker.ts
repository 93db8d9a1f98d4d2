import type { TableCourse } from '../bulks/judge-table.ts'
import type { Answers, Asked, Told } from './questions.ts'

/**
 * The farm's own rules beside the page, so that neither typing nor a long table blocks it. Parts that one
 * page alone needs come with their first question.
 */

/** Questions that can be given up while they are answered. */
const answering = new Map<number, AbortController>()

self.addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const { id } = data
  if (data.kind === 'give-up') return answering.get(id)?.abort()
  const ending = new AbortController()
  answering.set(id, ending)
  try {
    tell({ id, answer: await answerTo(data, ending.signal) })
  } catch (error) {
    if (ending.signal.aborted) return
    tell({ id, error: error instanceof Error ? error.message : String(error) })
  } finally {
    answering.delete(id)
  }
})

async function answerTo(
  asked: Exclude<Asked, { kind: 'give-up' }>,
  signal: AbortSignal,
): Promise<Answers[keyof Answers]> {
  switch (asked.kind) {
    case 'project':
      return (await import('../editor/judge.ts')).judge(asked.question)
    case 'language':
      return await (await import('../editor/json-language.ts')).answerLanguage(asked.question)
    case 'read-table':
      return (await import('../bulks/judge-table.ts')).parseCsv(asked.question)
    case 'table': {
      const { judgeTable } = await import('../bulks/judge-table.ts')
      const onCourse = (course: TableCourse) => tell({ id: asked.id, course })
      return await judgeTable(asked.question, { signal, onCourse })
    }
  }
}

function tell(told: Told): void {
  self.postMessage(told)
}
