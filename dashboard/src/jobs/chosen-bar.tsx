import { useEffect, useState } from 'preact/hooks'
import type { Job } from '../../../client/farm-client.ts'
import { jobStates } from '../../../core/jobs/jobs.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import type { Command } from '../commands/texts.ts'
import { caller, farm } from '../session/farm.ts'
import { TextToCopy } from '../ui/copy.tsx'
import { Question } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { counted } from '../words/format.ts'
import { type Choice, countIn, sizeOf } from './choice.ts'
import { askedOf, type JobFilter, openStates, statesIn } from './job-query.ts'
import { readAll } from './run-over.ts'
import { saveFileOf } from './save-file.ts'
import type { Task } from './use-run.ts'

const pageSize = 100
const withoutFile: readonly string[] = ['failed', 'cancelled']
const withFile: readonly string[] = ['completed']

/** Acts on the chosen jobs: those named, or all that match, however many. */
export function ChosenBar({
  choice,
  filter,
  createdTo,
  total,
  counts,
  onStart,
  onAll,
  onNone,
}: {
  choice: Choice
  filter: JobFilter
  /** Jobs that were made later are not in the list. */
  createdTo: string
  total: number
  /** Counts of all that match, by state. */
  counts: Readonly<Record<string, number>>
  onStart: (task: Task) => void
  onAll: () => void
  onNone: () => void
}) {
  const [asked, setAsked] = useState<{ readonly question: string; readonly task: Task }>()
  /** Ids that the browser did not let the page copy. */
  const [shownIds, setShownIds] = useState<string>()
  useEffect(() => setShownIds(undefined), [choice])
  const open = countIn(choice, openStates, counts)
  const again = countIn(choice, withoutFile, counts)
  const files = countIn(choice, withFile, counts)

  const read = async (states: readonly string[], signal: AbortSignal) => {
    if (!choice.isAll) return [...choice.jobs.values()]
    const wanted = states.filter((state) => statesIn(filter).includes(state))
    if (wanted.length === 0) return []
    const found = await readAll(async (page) => {
      const own = askedOf(filter, createdTo)
      const query = { ...own, state: wanted.join(','), createdTo, page, pageSize }
      const { jobs, total: matching } = await caller.fetch<{ jobs: Job[]; total: number }>(
        'GET /api/jobs',
        { query, signal },
        (response) => response.json(),
      )
      return { items: jobs, total: matching }
    }, signal)
    return found.filter(({ id }) => !choice.jobs.has(id))
  }
  const idsIn = (states: readonly string[]) => async (signal: AbortSignal) =>
    (await read(states, signal)).filter(({ state }) => states.includes(state)).map(({ id }) => id)

  const start = (task: Task, question: string) => {
    if (choice.isAll) setAsked({ question, task })
    else onStart(task)
  }
  const cancel = () =>
    start(
      { word: 'cancelled', find: idsIn(openStates), act: (id) => farm.cancelJob(id) },
      `Cancel ${counted(open, 'job')}? Frames that are painted are charged.`,
    )
  const retry = () => {
    // Sent again after a lost answer, a retry makes no second job.
    const run = crypto.getRandomValues(new Uint32Array(2)).join('-')
    const act = (id: string) => farm.retry(id, {}, { idempotencyKey: `${run}-${id}` })
    start(
      { word: 'rendered again', find: idsIn(withoutFile), act },
      `Render ${counted(again, 'job')} again? Each costs as much as it did.`,
    )
  }
  const download = () =>
    start(
      { word: 'saved', find: idsIn(withFile), act: saveFileOf },
      `Download ${counted(files, 'file')}? The browser may ask whether the page may save several.`,
    )
  const commands = (): readonly Command[] => {
    const ids = (states: readonly string[]) =>
      [...choice.jobs.values()].filter(({ state }) => states.includes(state)).map(({ id }) => id)
    return [
      { action: 'cancelJob' as const, ids: ids(openStates) },
      { action: 'renderJobAgain' as const, ids: ids(withoutFile) },
      { action: 'downloadJob' as const, ids: ids(withFile) },
    ].filter((each) => each.ids.length > 0)
  }
  const copy = async () => {
    const ids = read(jobStates, new AbortController().signal).then((jobs) =>
      jobs.map(({ id }) => id).join('\n'),
    )
    const text = ids.then((found) => new Blob([found], { type: 'text/plain' }))
    // Nobody else hears of the failure of a missing clipboard.
    text.catch(() => undefined)
    try {
      // The text may come later than a browser allows after a click; its promise may not.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })])
      setShownIds(undefined)
      toast('The ids are copied.')
    } catch {
      // Not permitted, or no clipboard, as on plain HTTP.
      await ids.then(setShownIds, ({ message }) => toast(`The ids cannot be read: ${message}`))
    }
  }
  return (
    <div class="bar" role="toolbar" aria-label="Chosen jobs">
      <strong>{counted(sizeOf(choice, total), 'job')} chosen</strong>
      <button type="button" disabled={open === 0} onClick={cancel}>
        Cancel {open > 0 && counted(open, 'job')}
      </button>
      <button type="button" disabled={again === 0} onClick={retry}>
        Render {again > 0 && counted(again, 'job')} again
      </button>
      <button type="button" disabled={files === 0} onClick={download}>
        Download {files > 0 && counted(files, 'file')}
      </button>
      <button type="button" onClick={copy}>
        Copy ids
      </button>
      {!choice.isAll && open + again + files > 0 && (
        <CommandMenu of={commands} about="chosen jobs" />
      )}
      {!choice.isAll && total > choice.jobs.size && (
        <button type="button" class="link" onClick={onAll}>
          Choose all {counted(total, 'job')} that match
        </button>
      )}
      <button type="button" class="link" onClick={onNone}>
        Choose none
      </button>
      {shownIds !== undefined && <TextToCopy text={shownIds} />}
      {asked && (
        <Question
          title={asked.question}
          yes="Do it"
          onYes={() => {
            setAsked(undefined)
            onStart(asked.task)
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}
