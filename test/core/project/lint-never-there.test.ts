import test from 'ava'
import { image, resolved, words } from './outcome.ts'

/** Warnings of a film of 5 s on dark blue, as `field code`. */
function codesOf(payload: object, more: object = {}): string[] {
  const { warnings } = resolved({ duration: 5, backgroundColor: '#123', ...payload }, more)
  return warnings.map(({ field, code }) => `${field} ${code}`)
}

const white = { ...words, x: 50, y: 50, style: { color: '#fff' } }
const sound = { src: 'https://cdn.example.com/a.mp3' }
const heard = (audio: object, payload: object = {}) =>
  codesOf({ visuals: [white], audios: [{ ...sound, ...audio }], ...payload })

test('a sound that enters when the film is over is reported', (t) => {
  t.deepEqual(heard({ enter: 5 }), ['audios[0].enter never_heard'])
  t.deepEqual(heard({ enter: 7, exit: 9 }), ['audios[0].enter never_heard'])
  t.deepEqual(heard({ enter: 5, matchDuration: true }), ['audios[0].enter never_heard'])
  t.deepEqual(heard({ enter: 4.9 }), [])
})

test('a sound is measured by its own scene', (t) => {
  const scenes = [
    { duration: 2, visuals: [white], audios: [{ ...sound, enter: 2 }] },
    { duration: 3, visuals: [white], audios: [{ ...sound, enter: 2 }] },
  ]
  t.deepEqual(codesOf({ scenes }), ['scenes[0].audios[0].enter never_heard'])
})

test('a film as long as an unknown sound is not judged yet', (t) => {
  t.deepEqual(heard({ enter: 30 }, { duration: undefined, durationMode: 'auto' }), [])
})

test('sounds without any time are reported', (t) => {
  t.deepEqual(heard({ enter: 2, exit: 2 }), ['audios[0].exit never_heard'])
  t.deepEqual(heard({ exit: 0 }), ['audios[0].exit never_heard'])
  t.deepEqual(heard({ audioBegin: 3, audioEnd: 3 }), ['audios[0].audioEnd never_heard'])
  t.deepEqual(heard({ audioDuration: 0 }), ['audios[0].audioDuration never_heard'])
  t.deepEqual(heard({ enter: 2, exit: 2, matchDuration: true }), ['audios[0].exit exit_ignored'])
  t.deepEqual(heard({ enter: 1, exit: 1.1, audioBegin: 2, audioEnd: 2.1 }), [])
})

test('a clip cut down to one frame is reported', (t) => {
  const clip = { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4' }
  const cut = (videoBegin: number, videoEnd: number) =>
    codesOf({ visuals: [{ ...clip, videoBegin, videoEnd }] })
  t.deepEqual(cut(2, 2), ['visuals[0].videoEnd empty_cut'])
  t.deepEqual(cut(0, 0), ['visuals[0].videoEnd empty_cut'])
  t.deepEqual(cut(2, 2.5), [])
})

const caption = (start: number) => ({ start, end: start + 1, text: `At ${start}` })
const captioned = (starts: number[], payload: object = {}) =>
  codesOf({ subtitle: { captions: starts.map(caption) }, ...payload })

test('captions after the end are reported once and make no film visible', (t) => {
  const late = 'subtitle.captions[0].start never_visible'
  t.deepEqual(captioned([5, 8]), [' nothing_visible', late])
  t.deepEqual(captioned([6], { visuals: [white] }), [late])
  t.deepEqual(captioned([1, 6, 7]), ['subtitle.captions[1].start never_visible'])
  t.deepEqual(captioned([1, 4.5]), [])
})

test('captions lengthen a film of automatic length, and a file may', (t) => {
  const auto = { duration: undefined, durationMode: 'auto' }
  t.deepEqual(captioned([60], auto), [])
  const subtitle = { src: 'https://cdn.example.com/a.srt' }
  t.deepEqual(codesOf({ ...auto, subtitle, visuals: [{ ...white, enterBegin: 30 }] }), [])
})

test('an element between two frames is reported', (t) => {
  const shown = (enterBegin: number, exitEnd: number, frameRate = 30) =>
    codesOf({ frameRate, visuals: [white, { ...image, enterBegin, exitEnd }] })
  t.deepEqual(shown(1.001, 1.03), ['visuals[1] never_visible'])
  t.deepEqual(shown(0.2, 0.9, 1), ['visuals[1] never_visible'])
  t.deepEqual(shown(1, 1.01), [])
  t.deepEqual(shown(1.001, 1.04), [])
})

test('an opacity written as 0 is reported, one from a variable not', (t) => {
  const clear = { ...image, opacity: 0 }
  t.deepEqual(codesOf({ visuals: [white, clear] }), ['visuals[1].opacity never_visible'])
  const scenes = [{ duration: 5, visuals: [white, clear] }]
  t.deepEqual(codesOf({ scenes }), ['scenes[0].visuals[1].opacity never_visible'])
  const chosen = { ...image, opacity: '{{ logo }}' }
  t.deepEqual(codesOf({ visuals: [white, chosen] }, { variables: { logo: 0 } }), [])
  const clip = { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4', opacity: 0 }
  t.deepEqual(codesOf({ visuals: [white, clip] }), [])
})
