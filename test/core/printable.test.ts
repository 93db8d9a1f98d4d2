import test from 'ava'
import { printable } from '../../core/printable.ts'

test('a node’s log is shown without control characters', (t) => {
  const log =
    'one\ttwo\n\u001b[2J\u001b]0;title\u0007three\r\n\u009b31mfour\u0008 – ünï\u202fcode 漢字\n'
  t.is(printable(log), 'one\ttwo\nthree\nfour – ünï\u202fcode 漢字\n')
})

test('colours, links and cursors of terminals are left out', (t) => {
  const shown = (text: string) => printable(text)
  t.is(shown('\u001b[1;31mfailed\u001b[0m, [1] of [2]'), 'failed, [1] of [2]')
  t.is(shown('\u001b[38;5;208mwarm\u001b[39m \u001b[48:2::1:2:3mexact\u001b[m'), 'warm exact')
  t.is(shown('\u001b]8;;https://example.com\u001b\\a link\u001b]8;;\u001b\\'), 'a link')
  t.is(shown('\u001b[?25l\u001b[2K\u001b(Bprogress\u001b7\u001b8\u001b=\u001b[?25h'), 'progress')
  t.is(shown('cut off\u001b['), 'cut off')
})

test('an endless title hides nothing of a log', (t) => {
  t.is(printable('one\n\u001b]0;never ends\ntwo\n'), 'one\n0;never ends\ntwo\n')
  t.is(printable('\u0090'.repeat(200_000)), '')
})
