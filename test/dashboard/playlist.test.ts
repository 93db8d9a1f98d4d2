import test from 'ava'
import { filmPlaylist, trackPlaylist } from '../../api/playback/playlist.ts'
import {
  nextPiece,
  oldPieces,
  readFilm,
  readTrack,
  typeOfPictures,
} from '../../dashboard/src/player/playlist.ts'

const film = {
  ...{ width: 640, height: 360, frameRate: 30, hasSound: true },
  pieces: [30, 45, 15].map((frames) => ({ frames })),
} as unknown as Parameters<typeof filmPlaylist>[0]
const base = 'https://farm.example.com/play/job/grant/film.m3u8'
const place = 'https://farm.example.com/play/job/grant'

test('the player reads the playlists that the farm writes', (t) => {
  t.deepEqual(readFilm(filmPlaylist(film), base), {
    pictures: `${place}/pictures.m3u8`,
    sound: `${place}/sound.m3u8`,
  })
  const { init, pieces } = readTrack(trackPlaylist(film, 'pictures'), base)
  t.is(init, `${place}/pictures-init.mp4`)
  t.deepEqual(pieces[1], { url: `${place}/pictures-1.m4s`, start: 1, seconds: 1.5 })
})

test('the next piece is the first missing one from the playhead on', (t) => {
  const { pieces } = readTrack(trackPlaylist(film, 'pictures'), base)
  const next = (time: number, held: readonly number[], ahead = 20) => {
    const has = (piece: (typeof pieces)[number]) => held.includes(pieces.indexOf(piece))
    const found = nextPiece(pieces, { time, ahead, has })
    return found ? pieces.indexOf(found) : -1
  }
  t.is(next(0, []), 0)
  t.is(next(0, [0]), 1)
  t.is(next(2.6, [0]), 2)
  t.is(next(0, [0], 1), -1)
  t.is(next(0, [0, 1, 2]), -1)
})

test('what is forgotten ends where a piece ends', (t) => {
  const { pieces } = readTrack(trackPlaylist(film, 'pictures'), base)
  const [first, second] = pieces
  t.deepEqual(oldPieces(pieces, 0.9), { pieces: [], end: 0 })
  t.deepEqual(oldPieces(pieces, 2), { pieces: [first], end: 1 })
  t.deepEqual(oldPieces(new Set([second, first].flatMap((one) => one ?? [])), 2.7), {
    ...{ pieces: [second, first], end: 2.5 },
  })
})

test('the type of the pictures is in their first box', (t) => {
  const init = Uint8Array.of(0, 0, 0, 20, 0x61, 0x76, 0x63, 0x43, 1, 0x64, 0, 0x1f, 255)
  t.is(typeOfPictures(init), 'video/mp4; codecs="avc1.64001f"')
  t.throws(() => typeOfPictures(Uint8Array.of(1, 2, 3)), { message: /must be H.264/ })
})
