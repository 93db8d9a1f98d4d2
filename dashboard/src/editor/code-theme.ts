import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Colors are the page's own custom properties: they reach into the shadow root. */
export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  // The page draws the focus around the whole card.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': {
    ...{ backgroundColor: 'var(--surface)', color: 'var(--quiet)' },
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)',
  },
  '.cm-foldPlaceholder': {
    ...{ backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip': {
    ...{ backgroundColor: 'var(--raised)', color: 'var(--ink)', borderRadius: '8px' },
    ...{ border: '1px solid var(--line-strong)', maxWidth: 'min(440px, 90vw)' },
    ...{ boxShadow: '0 6px 24px rgb(0 0 0 / 18%)', overflow: 'hidden' },
  },
  '.description, .cm-completionInfo, .cm-diagnostic': {
    ...{ fontFamily: 'var(--font)', fontSize: '13px', lineHeight: '1.45' },
    ...{ padding: '8px 12px', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    ...{ backgroundColor: 'var(--accent)', color: 'var(--accent-ink)' },
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnosticAction': {
    ...{ backgroundColor: 'var(--accent)', color: 'var(--accent-ink)', borderRadius: '6px' },
    ...{ padding: '2px 10px', marginLeft: '10px', font: 'inherit' },
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    ...{ textDecoration: 'underline wavy var(--bad) 1.5px', textUnderlineOffset: '3px' },
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    ...{ textDecoration: 'underline wavy var(--warn) 1.5px', textUnderlineOffset: '3px' },
  },
  '.cm-panels': {
    ...{ backgroundColor: 'var(--raised)', color: 'var(--ink)' },
    borderBottom: '1px solid var(--line)',
  },
  '.cm-textfield': {
    ...{ backgroundColor: 'var(--surface)', color: 'var(--ink)', borderRadius: '6px' },
    border: '1px solid var(--line-strong)',
  },
  '.cm-button': {
    ...{ backgroundImage: 'none', backgroundColor: 'var(--raised)', color: 'var(--ink)' },
    ...{ border: '1px solid var(--line-strong)', borderRadius: '6px' },
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-wash)', outline: '1px solid var(--warn)' },
  '.cm-selectionMatch': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)',
  },
})

export const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--busy)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
])
