import test from 'ava'
import { fileNameIn } from '../../client/file-name.ts'

test('a file has the encoded name before the quoted one', (t) => {
  t.is(fileNameIn(`attachment; filename="a.mp4"; filename*=UTF-8''f%C3%AAte.mp4`), 'fête.mp4')
  t.is(fileNameIn('attachment; filename="a.mp4"'), 'a.mp4')
  for (const nameless of ['', 'inline', 'attachment; filename=a.mp4']) {
    t.is(fileNameIn(nameless), undefined, nameless)
  }
})
