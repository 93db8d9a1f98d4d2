import './new-bulk.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Profile } from '../../../client/farm-client.ts'
import type { TableFault } from '../../../core/bulks/table.ts'
import type { Command } from '../commands/texts.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { session } from '../session/session.ts'
import { Card, Fault, Page, Progress, Shown } from '../ui/parts.tsx'
import { count, counted, credits, duration } from '../words/format.ts'
import { CellTable } from './cell-table.tsx'
import { keepTable, takeTable } from './kept-table.ts'
import { type Column, fillable, itemOf, suggestColumns } from './mapping.ts'
import { MappingTable } from './mapping-table.tsx'
import { type Project, ProjectChoice } from './project-choice.tsx'
import { RowPicture } from './row-picture.tsx'
import { SendBulk, type Sent } from './send-bulk.tsx'
import { TableFile } from './table-file.tsx'
import { type JudgedRows, useJudgedRows } from './use-judged-rows.ts'

const shownFaults = 8

const title = 'New bulk'
const lead = 'One film for each row of a table. Nothing is sent before the last step.'

/** New bulk in four steps: a project, a table, its columns, its cells; nothing is sent before the last. */
export function NewBulk() {
  const { query } = useLocation()
  const profile = useLoaded((signal) => farm.profile({ signal }), [])
  if (profile.data) return <Steps user={profile.data} query={query} />
  return (
    <Page title={title} lead={lead}>
      <Shown of={profile}>{() => null}</Shown>
    </Page>
  )
}

const nothingSent: Sent = { of: [], key: '', bulkIds: [] }

function Steps({ user, query }: { user: Profile; query: Query }) {
  const [back] = useState(() => takeTable(user.user.id))
  const [project, setProject] = useState(back?.project)
  const [fileName, setFileName] = useState(back?.fileName ?? '')
  const [lines, setLines] = useState(back?.lines ?? [])
  const [columns, setColumns] = useState(back?.columns ?? [])
  const [rule, setRule] = useState('')
  /** Text that is read at present. */
  const reading = useRef<TableText>(undefined)
  /** Text that could not be read, as the judge did not come. */
  const [unread, setUnread] = useState<TableText>()
  const sent = useRef(back?.sent ?? nothingSent)
  const { plan } = user
  const { judged, judgeAgain, readTable } = useJudgedRows({
    ...{ project, lines, columns },
    plan: plan.name,
  })

  const latest = useRef({ project, fileName, lines, columns })
  latest.current = { project, fileName, lines, columns }
  useEffect(
    () => () => {
      // A session that ends takes the page away, not the work.
      if (session.value !== 'signed out') return
      keepTable({ ...latest.current, sent: sent.current }, user.user.id)
    },
    [],
  )

  // A project or a file may be read while the other one changes.
  const choose = (chosen: Project) => {
    latest.current = { ...latest.current, project: chosen }
    setProject(chosen)
    setColumns(columnsOf(chosen, latest.current.lines))
  }
  const fill = (read: typeof lines) => {
    latest.current = { ...latest.current, lines: read }
    setLines(read)
    setColumns(columnsOf(latest.current.project, read))
  }

  /** Rows of an earlier table must not be sent in place of one that cannot be read. */
  const refuse = (sentence: string) => {
    reading.current = undefined
    setRule(sentence)
    setFileName('')
    fill([])
  }
  const readText = async (text: string, name: string) => {
    const mine = { text, name }
    reading.current = mine
    setUnread(undefined)
    const parsed = await readTable(text).catch(() => undefined)
    // Another table was given meanwhile.
    if (reading.current !== mine) return
    reading.current = undefined
    if (!parsed) {
      refuse('')
      return setUnread(mine)
    }
    if ('rule' in parsed) return refuse(`The table ${parsed.rule}`)
    setRule('')
    setFileName(name)
    fill(parsed)
  }
  useEffect(() => {
    if (query.example && !back) void readRowsOf(query.example)
  }, [query.example])
  const readRowsOf = async (example: string) => {
    try {
      await readText(await rowsOf(example), 'rows.csv of the example')
    } catch (error) {
      refuse((error as Error).message)
    }
  }
  const setCell = (line: number, cell: number, value: string) =>
    setLines(lines.map((cells, at) => (at === line ? cells.with(cell, value) : cells)))

  const faults = judged?.faults ?? []
  return (
    <Page title={title} lead={lead} commands={() => [bulkCommand(project, judged)]}>
      {back && (
        <p class="notice" role="status">
          Your table is as it was before you signed in again.
        </p>
      )}
      <Card title="1. What to render">
        <ProjectChoice
          wanted={back ? undefined : wantedIn(query)}
          chosen={project}
          onChoose={choose}
        />
      </Card>
      <Card title="2. The table">
        <TableFile
          fileName={fileName}
          rows={Math.max(0, lines.length - 1)}
          onText={readText}
          onFault={refuse}
        />
        {rule && <Fault error={new Error(rule)} />}
        {unread && (
          <Fault
            error={new Error('The table could not be read: the farm did not send its rules.')}
            onRetry={() => readText(unread.text, unread.name)}
          />
        )}
      </Card>
      {project && lines.length > 0 && (
        <>
          <Card title="3. Columns">
            <MappingTable
              columns={columns}
              project={project.payload}
              example={lines[1]}
              seen={judged?.seen ?? []}
              onChange={setColumns}
            />
          </Card>
          <Card title="4. Rows">
            {judged?.common.map((message) => (
              <Fault key={message} error={new Error(`The project itself: ${message}`)} />
            ))}
            {judged?.failure && <Fault error={judged.failure} onRetry={judgeAgain} />}
            {faults.length > 0 && <Faults faults={faults} />}
            <CellTable lines={lines} columns={columns} faults={faults} onCell={setCell} />
            {judged && judged.rows.length > 0 && !judged.failure && <Sum of={judged} />}
            {judged && judged.rows.length > 0 && (
              <RowPicture project={project} rows={judged.rows} />
            )}
            <SendBulk
              project={project}
              judged={judged}
              name={fileName}
              itemsMost={plan.limits.bulkItems ?? 1}
              {...{ table: [project, lines, columns], sent }}
            />
          </Card>
        </>
      )}
    </Page>
  )
}

/** Text of a table, with the name of its file. */
type TableText = { readonly text: string; readonly name: string }

type Query = { readonly template?: string; readonly example?: string }

function wantedIn({ template, example }: Query): string | undefined {
  if (template) return `template ${template}`
  return example && `example ${example}`
}

/** Reads the table that comes with an example. */
async function rowsOf(example: string): Promise<string> {
  const route = `GET /api/library/examples/${encodeURIComponent(example)}/rows`
  return await caller.fetch<string>(route, {}, (response) => response.text())
}

/** The bulk as it would be sent, or one of the first project that one meets. */
function bulkCommand(project: Project | undefined, judged: JudgedRows | undefined): Command {
  const { templateId, payload = { visuals: [{ type: 'TEXT', text: '{{ name }}' }] } } =
    project ?? {}
  const items = judged?.rows.map(itemOf) ?? [{ variables: { name: 'Ada' } }]
  const base = templateId ? { template: templateId } : { payload }
  return { action: 'renderBulk', body: { ...base, items }, project: payload }
}

/** Suggests what each column of a table fills, once there is a project to fill. */
function columnsOf(
  project: Project | undefined,
  [header]: readonly (readonly string[])[],
): readonly Column[] {
  if (!project || !header) return []
  const names = header.map((name) => name.trim())
  return suggestColumns(names, fillable(project.payload))
}

function priceOf({
  credits: least,
  creditsMost,
}: {
  credits: number
  creditsMost: number
}): string {
  return creditsMost > least
    ? `${credits(least)} or more, as media of unknown length ask`
    : credits(least)
}

/** Price and length of all rows, or how many of them the farm's rules have judged so far. */
function Sum({ of }: { of: JudgedRows }) {
  const { rows, done, isWhole, seconds, empty } = of
  if (!isWhole && done > 0) {
    return (
      <p class="quiet">
        <Progress value={(done / rows.length) * 100} label="Rows checked" /> {count(done)} of{' '}
        {counted(rows.length, 'row')} checked
      </p>
    )
  }
  return (
    <p class="quiet">
      {counted(rows.length, 'row')}, {priceOf(of)}
      {seconds > 0 && `, ${duration(seconds)} of film`}
      {empty.length > 0 && `, ${counted(empty.length, 'empty row')} left out`}
    </p>
  )
}

function Faults({ faults }: { faults: readonly TableFault[] }) {
  return (
    <section class="fault-list bad" aria-label="Faults of the table">
      <h2>{counted(faults.length, 'fault')} to mend, in the table or in the file</h2>
      <ul>
        {faults.slice(0, shownFaults).map(({ field, column, message }) => (
          <li key={`${field} ${column} ${message}`} dir="auto">
            <strong>{column ? `${field}, ${column}` : field}</strong>: {message}
          </li>
        ))}
        {faults.length > shownFaults && <li>and {faults.length - shownFaults} more</li>}
      </ul>
    </section>
  )
}
