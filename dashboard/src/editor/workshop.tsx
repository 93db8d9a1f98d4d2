import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isPlanName, type PlanName } from '../../../core/accounts/plans.ts'
import type { Outline } from '../../../core/plan/outline.ts'
import { pointerInto } from '../../../core/project/pointers.ts'
import { Page } from '../ui/parts.tsx'
import { toast } from '../ui/toast.tsx'
import { Code } from './code.tsx'
import type { CodeView } from './code-view.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import { EditorActions } from './editor-actions.tsx'
import { editorCommands } from './editor-commands.ts'
import { edited, valueAtCaret } from './edits.ts'
import { Examples } from './examples.tsx'
import { FilmFacts } from './film-facts.tsx'
import { Findings } from './findings.tsx'
import { projectIn, type Values } from './form.ts'
import type { Judgement } from './judge.ts'
import { findingsIn, repairIn } from './located.ts'
import { PictureView } from './picture.tsx'
import { placeInAddress } from './place-in-address.ts'
import { placeOf } from './places.ts'
import type { Source } from './source.ts'
import { TimelineView } from './timeline.tsx'
import { timeEdits } from './timeline-edits.ts'
import { firstMoment, lastMoment } from './timeline-layout.ts'
import { UploadCard } from './upload-card.tsx'
import { useCaretWords } from './use-caret-words.ts'
import { useJudge } from './use-judge.ts'
import type { Move } from './use-moving.ts'
import { usePicture } from './use-picture.ts'
import { VariablesForm } from './variables-form.tsx'

/** The editor with its judge, its picture and its timeline. */
export function Workshop({ source, place, plan }: { source: Source; place: string; plan: string }) {
  const kept = useMemo(() => readDraft(place), [])
  const [text, setText] = useState(kept?.text ?? source.text)
  const [variables, setVariables] = useState<Values>(kept?.variables ?? source.variables)
  const [overrides, setOverrides] = useState<Values>(kept?.overrides ?? source.overrides)
  const [isBack, setBack] = useState(kept !== undefined)
  const [saved, setSaved] = useState(source)
  const [chosen, setChosen] = useState<number>()
  const code = useRef<CodeView>(undefined)
  /** Text after a move, which need not be judged for the next one. */
  const movedText = useRef<string>(undefined)
  /** An upload ends, and a second key moves a bar, after the text has changed. */
  const latestText = useRef(text)
  latestText.current = text
  const onText = (now: string) => {
    latestText.current = now
    setText(now)
  }
  const { judgement, judged, isFresh, fault, judgeAgain, ask } = useJudge({
    text,
    variables,
    overrides,
    plan: planOf(plan),
  })
  const { words, onCaret } = useCaretWords(text, ask)
  const outline = useLastOutline(judgement)
  const isRight = isFresh && judgement?.outline != null
  const isFilm = outline?.type === 'video'
  const time = outline && isFilm ? momentWithin(outline, chosen) : undefined
  const picture = usePicture({ text, variables, overrides, time, isRight })

  const findings = useMemo(
    () => (judgement ? findingsIn(judged, judgement) : []),
    [judged, judgement],
  )
  const repairAll = () => {
    const repaired = judgement && repairIn(text, judgement)
    if (repaired) code.current?.replaceAll(repaired)
  }

  const draft = { text, variables, overrides }
  useEffect(() => keepDraft(place, draft, saved), [text, variables, overrides, saved])
  useEffect(() => code.current?.mark(findings), [findings])

  const goTo = (pointer: string) => code.current?.goTo(placeOf(text, pointer))
  const onElement = (field: string) => goTo(pointerInto(projectIn(text), field))
  const putUrl = (url: string) => {
    const view = code.current
    view?.apply(valueAtCaret(latestText.current, view.caret(), url))
  }
  const onMove = (move: Move) => {
    const now = latestText.current
    const edits = timeEdits(now, projectIn(now), move)
    if (edits) {
      movedText.current = edits.toReversed().reduce(edited, now)
      code.current?.applyTogether(edits)
    } else toast('A variable decides these times: change them in the text.')
  }
  const onOpen = (view: CodeView) => {
    code.current = view
    view.mark(findings)
    follow()
  }
  const follow = () => {
    const pointer = placeInAddress(location.hash)
    if (pointer === null) toast('The end of the address, after #, must name a place in the text.')
    else if (pointer !== undefined) goTo(pointer)
  }
  useEffect(() => {
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [text])

  const startOver = () => {
    dropDraft(place)
    code.current?.replaceAll(saved.text)
    setVariables(saved.variables)
    setOverrides(saved.overrides)
    setBack(false)
  }
  const onSaved = (made: Source) => {
    dropDraft(place)
    if (made.text !== latestText.current) code.current?.replaceAll(made.text)
    setVariables(made.variables)
    setSaved(made)
    setBack(false)
  }
  return (
    <Page
      title={saved.title}
      lead={saved.template ? 'Template' : 'Judged by the farm’s own rules while you type.'}
      commands={() => editorCommands(draft, saved)}
      actions={
        <>
          <EditorActions {...{ draft, saved, onSaved, place }} isRight={isRight} />
          <Examples />
        </>
      }
    >
      {isBack && (
        <p class="notice" role="status">
          Your unsaved changes are back.{' '}
          <button type="button" class="link" onClick={startOver}>
            Start over from what is stored
          </button>
        </p>
      )}
      {Object.keys(overrides).length > 0 && (
        <p class="notice">
          The job’s overrides apply: <code>{JSON.stringify(overrides)}</code>{' '}
          <button type="button" class="link" onClick={() => setOverrides({})}>
            Leave them out
          </button>
        </p>
      )}
      <div class="workshop">
        <UploadCard onUrl={putUrl}>
          <Code text={text} onChange={onText} onCaret={onCaret} onOpen={onOpen} ask={ask} />
          <p class="caret-words quiet">
            {words || 'Esc, then Tab leaves the text. Ctrl and Space offers what fits.'}
          </p>
        </UploadCard>
        <div class="outcome">
          <section class="card" aria-label="Picture">
            <PictureView {...picture} outline={outline} isOld={!isRight} />
            {outline && <FilmFacts outline={outline} isOld={!isRight} />}
            {outline && time !== undefined && (
              <TimelineView
                {...{ outline, time, onElement, isFresh }}
                onTime={setChosen}
                onMove={isRight || text === movedText.current ? onMove : undefined}
                onUndo={() => code.current?.undo()}
                onRedo={() => code.current?.redo()}
              />
            )}
          </section>
          <Findings
            findings={findings}
            isJudged={judgement !== undefined}
            isRepairable={judgement?.repair != null}
            fault={fault}
            onAgain={judgeAgain}
            onGo={(finding) => code.current?.goTo(finding)}
            onFix={(edit) => code.current?.apply(edit)}
            onRepair={repairAll}
          />
          <VariablesForm project={projectIn(text)} values={variables} onChange={setVariables} />
        </div>
      </div>
    </Page>
  )
}

/** Returns the last outline there was: it stays, greyed, while the text has faults. */
function useLastOutline(judgement: Judgement | undefined): Outline | undefined {
  const last = useRef<Outline>(undefined)
  if (judgement?.outline) last.current = judgement.outline
  return last.current
}

function momentWithin(outline: Outline, chosen: number | undefined): number {
  return Math.min(chosen ?? firstMoment(outline), lastMoment(outline))
}

const planOf = (name: string): PlanName => (isPlanName(name) ? name : 'free')
