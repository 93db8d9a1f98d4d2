import type { Judged, TableCourse, TableQuestion } from '../bulks/judge-table.ts'
import type { LanguageAnswer, LanguageQuestion } from '../editor/json-language.ts'
import type { Judgement, Question } from '../editor/judge.ts'

/** Questions that the judge's worker takes, by kind. */
type Questions = {
  readonly project: Question
  readonly language: LanguageQuestion
  /** Text of a CSV file. */
  readonly 'read-table': string
  readonly table: TableQuestion
}

export type Answers = {
  readonly project: Judgement
  readonly language: LanguageAnswer
  readonly 'read-table': string[][] | { readonly rule: string }
  readonly table: Judged
}

export type Kind = keyof Questions
export type QuestionOf<K extends Kind> = Questions[K]

/** Message to the worker. */
export type Asked =
  | {
      [K in Kind]: { readonly id: number; readonly kind: K; readonly question: Questions[K] }
    }[Kind]
  | { readonly id: number; readonly kind: 'give-up' }

/** Message of the worker: the answer, what it knows before it, or the reason why there is none. */
export type Told = {
  readonly id: number
  readonly answer?: Answers[Kind]
  readonly course?: TableCourse
  readonly error?: string
}
