import test from 'ava'
import { withSeenMarks } from '../../dashboard/src/words/direction-marks.ts'

test('marks of direction are shown by their names', (t) => {
  t.is(withSeenMarks('safe\u2069\u202egpj.exe'), 'safe‹PDI›‹RLO›gpj.exe')
  t.is(withSeenMarks('\u202a\u202b\u202c\u202d'), '‹LRE›‹RLE›‹PDF›‹LRO›')
  t.is(withSeenMarks('\u2066\u2067\u2068'), '‹LRI›‹RLI›‹FSI›')
})

test('texts of any script stay as they are', (t) => {
  for (const text of ['', 'Ada', 'محمد\u200f 5', 'שלום\u200e', '映画 🎬'])
    t.is(withSeenMarks(text), text)
})
