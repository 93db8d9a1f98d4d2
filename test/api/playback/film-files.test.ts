import test from 'ava'
import { FilmFiles } from '../../../api/playback/film-files.ts'
import { box } from '../../../runtime/mp4/write.ts'
import { ObjectMissingError } from '../../../store/objects/object-store.ts'

/** A store with one mp4, which counts its reads. */
function storeOf(bytes: Buffer) {
  const reads: string[] = []
  const read = async (key: string) => {
    reads.push(key)
    if (key === 'gone') throw new ObjectMissingError(key)
    return bytes
  }
  return {
    reads,
    read,
    readRange: async (key: string, { from, bytes: size }: { from: number; bytes: number }) =>
      (await read(key)).subarray(from, from + size),
  }
}

const mp4 = box('moov', Buffer.alloc(1_000))

test('players of a finished film share its index, read once', async (t) => {
  const store = storeOf(mp4)
  const files = new FilmFiles(store)
  const [first, ...others] = await Promise.all(Array.from({ length: 9 }, () => files.film('film')))
  t.true(others.every((file) => file === first))
  t.true((await files.film('film')) === first)
  t.is(store.reads.length, 2, 'the head of the box, and the box')
  const sound = await files.sound('sound')
  t.truthy(sound)
  t.is(await files.sound('sound'), sound)
})

test('an object that has gone is missing, and is looked for again', async (t) => {
  const store = storeOf(mp4)
  const files = new FilmFiles(store)
  t.is(await files.segment('gone'), undefined)
  t.is(await files.sound('gone'), undefined)
  t.is(await files.sound('gone'), undefined)
  t.is(store.reads.length, 3)
})
