import { EditorView } from '@codemirror/view'

/**
 * Types over a selection in the text itself. Where the browser does it, Chromium keeps the look of the old
 * letters in an inline style, which the pages' policy refuses and reports.
 */
export const typeOver = EditorView.domEventHandlers({
  beforeinput({ data, inputType, isComposing }, view) {
    const { state } = view
    const { from, to, empty } = state.selection.main
    if (empty || isComposing || inputType !== 'insertText' || !data) return false
    const insert = () =>
      state.update(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    const isHandled = state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})
