import test from 'ava'
import { type Toast, withToast } from '../../dashboard/src/ui/toast-list.ts'

const said = (added: readonly Omit<Toast, 'times' | 'id'>[]) =>
  added
    .reduce<readonly Toast[]>((shown, each, id) => withToast(shown, { id, ...each }), [])
    .map(({ id, text, times }) => [id, text, times])

test('equal notices are one, which counts', (t) => {
  const copied = { text: 'Copied' }
  t.deepEqual(said([copied, { text: 'Saved' }, copied, copied]), [
    [1, 'Saved', 1],
    [3, 'Copied', 3],
  ])
})

test('a notice takes the place of an older one of its topic', (t) => {
  const wait = (seconds: number) => ({ text: `wait ${seconds} s`, topic: 'rate' })
  t.deepEqual(said([wait(12), { text: 'Saved' }, wait(11)]), [
    [1, 'Saved', 1],
    [2, 'wait 11 s', 1],
  ])
})

test('what can be undone stays by itself', (t) => {
  const archived = { text: 'Archived', undo: () => undefined }
  t.deepEqual(said([archived, archived]), [
    [0, 'Archived', 1],
    [1, 'Archived', 1],
  ])
})
