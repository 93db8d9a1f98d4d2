import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
  redo,
  undo,
} from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { highlighting, theme } from './code-theme.ts'
import type { Edit } from './edits.ts'
import type { LanguageAnswer, LanguageQuestion, Offer } from './json-language.ts'
import type { Finding } from './located.ts'
import { isTooDeep } from './nesting.ts'
import type { Place } from './places.ts'
import { typeOver } from './type-over.ts'

export type CodeView = {
  /** Puts the caret at a place, and shows it. */
  goTo(place: Place): void
  apply(edit: Edit): void
  caret(): number
  /** Makes several edits, which one undo takes back. The focus stays where it is. */
  applyTogether(edits: readonly Edit[]): void
  undo(): void
  redo(): void
  replaceAll(text: string): void
  mark(findings: readonly Finding[]): void
  destroy(): void
}

export type CodeOptions = {
  readonly parent: HTMLElement
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onCaret: (offset: number) => void
  /** Called when a change is left out, which would be nested too deep. */
  readonly onTooDeep: () => void
  readonly ask: (question: LanguageQuestion) => Promise<LanguageAnswer>
}

/** Opens the editor in a shadow root of its own: only there may it add its styles. */
export function openCode(options: CodeOptions): CodeView {
  const { parent, text, onChange, onCaret, onTooDeep, ask } = options
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: text, extensions: extensions() }),
  })

  function extensions() {
    return [
      ...[lineNumbers(), highlightActiveLineGutter(), highlightActiveLine()],
      ...[highlightSpecialChars(), history(), foldGutter(), codeFolding(), drawSelection()],
      ...[indentOnInput(), indentUnit.of('  '), bracketMatching(), closeBrackets()],
      ...[json(), syntaxHighlighting(highlighting), theme, lintGutter(), typeOver],
      ...[search({ top: true }), highlightSelectionMatches(), EditorView.lineWrapping],
      autocompletion({ override: [complete], icons: false }),
      hoverTooltip(describe),
      keymap.of([
        ...[...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...searchKeymap],
        ...[...historyKeymap, ...foldKeymap, ...lintKeymap, indentWithTab],
      ]),
      EditorState.changeFilter.of(({ newDoc, docChanged }) => {
        if (!docChanged || !isTooDeep(newDoc.toString())) return true
        onTooDeep()
        return false
      }),
      EditorView.contentAttributes.of({ 'aria-label': 'Project as JSON', tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged) onChange(state.doc.toString())
        if (docChanged || selectionSet) onCaret(state.selection.main.head)
      }),
    ]
  }

  async function complete(context: CompletionContext) {
    const before = context.state.sliceDoc(context.pos - 1, context.pos)
    if (!context.explicit && !/["\w:-]/.test(before)) return null
    const { offers } = await ask({
      ...{ kind: 'complete', text: context.state.doc.toString(), offset: context.pos },
    })
    if (context.aborted || offers.length === 0) return null
    const from = Math.min(...offers.map((offer) => offer.from))
    const typed = bare(context.state.sliceDoc(from, context.pos))
    const fitting = offers.filter(({ label }) => bare(label).includes(typed))
    return { from, options: ranked(fitting, typed).map(optionOf), filter: false }
  }

  async function describe(_: EditorView, pos: number) {
    const { description } = await ask({
      ...{ kind: 'describe', text: view.state.doc.toString(), offset: pos },
    })
    if (!description) return null
    return {
      ...{ pos: description.from, end: description.to, above: true },
      create: () => {
        const dom = document.createElement('div')
        dom.className = 'description'
        dom.textContent = description.text
        return { dom }
      },
    }
  }

  return {
    goTo({ from, to }) {
      const end = Math.min(to, view.state.doc.length)
      view.dispatch({
        selection: { anchor: Math.min(from, end), head: end },
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
      })
      view.focus()
    },
    caret: () => view.state.selection.main.head,
    apply: ({ from, to, insert }) => {
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } })
      view.focus()
    },
    applyTogether: (edits) =>
      view.dispatch({ changes: [...edits], annotations: isolateHistory.of('full') }),
    undo: () => undo(view),
    redo: () => redo(view),
    replaceAll: (insert) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    mark(findings) {
      const most = view.state.doc.length
      const marks = findings.map(({ from, to, severity, message, fix }) => ({
        ...{ from: Math.min(from, most), to: Math.min(to, most), severity, message },
        ...(fix && {
          actions: [
            {
              name: 'Repair',
              apply: () => view.dispatch({ changes: fix.edit }),
            },
          ],
        }),
      }))
      view.dispatch(setDiagnostics(view.state, marks))
    },
    destroy: () => view.destroy(),
  }
}

const bare = (text: string) => text.replaceAll('"', '').trim().toLowerCase()

/** Puts what begins with the typed letters before what contains them. */
function ranked(offers: readonly Offer[], typed: string): readonly Offer[] {
  const begins = ({ label }: Offer) => (bare(label).startsWith(typed) ? 0 : 1)
  return offers.toSorted((a, b) => begins(a) - begins(b))
}

function optionOf({ label, detail, type, from, to, insert }: Offer): Completion {
  return {
    ...{ label, type },
    ...(detail !== '' && { info: detail }),
    apply: (view, completion, _from, end) => {
      // Letters typed since the question was asked lie behind `to`.
      snippet(stopsOf(insert))(view, completion, from, Math.max(to, end))
      if (type === 'property') startCompletion(view)
    },
  }
}

/** Writes `$1` as `${1}`; the last stop of the protocol, `$0`, comes last here, too. */
function stopsOf(insert: string): string {
  const stops = insert.replace(/\$(\d)/g, (_, stop) => `\${${stop === '0' ? 9 : stop}}`)
  // Without a stop the caret would stay before the text.
  return /\$\{/.test(stops) ? stops : `${stops}\${}`
}
