import test from 'ava'
import { printable } from '../../cli/fleet/printable.ts'

test('a node’s log reaches the terminal without control characters', (t) => {
  const log =
    'one\ttwo\n\u001b[2J\u001b]0;title\u0007three\r\n\u009b31mfour\u0008 – ünï\u202fcode 漢字\n'
  t.is(printable(log), 'one\ttwo\nthree\nfour – ünï\u202fcode 漢字\n')
})
