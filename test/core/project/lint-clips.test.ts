import test from 'ava'
import { resolved } from './outcome.ts'

/** Warnings of a project of 1280x720 px on white, as `field code: message`. */
function warningsOf(payload: object): string[] {
  const { warnings } = resolved({ duration: 5, ...payload })
  return warnings.map(({ field, code, message }) => `${field} ${code}: ${message}`)
}

/** The same without the messages. */
function codesOf(payload: object): string[] {
  return warningsOf(payload).map((text) => text.slice(0, text.indexOf(':')))
}

const clip = { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4' }
const fading = { ...clip, transition: 'fade', exitEnd: 2 }
const second = { ...clip, id: 'b', enterBegin: 2, exitEnd: 5 }

test('linked clips, and clips without a link, cause no warning', (t) => {
  for (const visuals of [
    [{ ...fading, transitionId: 'b' }, second],
    [fading, second],
    [{ ...fading, transitionId: 'none' }, second],
    [{ ...clip, exitEnd: 2 }, second],
    [{ ...fading, exitEnd: undefined, transitionId: 'b' }, second],
  ]) {
    t.deepEqual(warningsOf({ visuals }), [], JSON.stringify(visuals))
  }
})

test('a transition between clips that will not play is named with reason', (t) => {
  const cases: readonly (readonly [object[], string])[] = [
    [
      [{ ...fading, transitionId: 'c' }, second],
      'visuals[0].transitionId link_ignored: transitionId must be the id of another VIDEO beside this one, or none. Got "c": a hard cut.',
    ],
    [
      [{ ...fading, id: 'a', transitionId: 'a' }, second],
      'visuals[0].transitionId link_ignored: transitionId must be the id of another VIDEO beside this one, or none. Got "a": a hard cut.',
    ],
    [
      [{ ...clip, transitionId: 'b' }, second],
      'visuals[0].transitionId link_ignored: transitionId only has an effect with a transition. Got none.',
    ],
    [
      [{ ...fading, transitionDuration: 0 }, second],
      'visuals[0].transition link_ignored: transition fade is not played, because transitionDuration is 0 s.',
    ],
    [
      [fading],
      'visuals[0].transition link_ignored: transition fade is not played, because no VIDEO follows this one.',
    ],
    [
      [fading, { ...second, enterBegin: 3 }],
      'visuals[0].transition link_ignored: A transition needs a next VIDEO that begins while this one is visible, or just as it ends. visuals[1] begins at 3, this one is visible from 0 to 2: a hard cut.',
    ],
    [
      [{ ...fading, transitionId: 'b' }, { ...fading, transitionId: 'b' }, second],
      'visuals[1].transitionId link_ignored: Only one transition can lead into a VIDEO, and visuals[0] already leads into the same one: a hard cut.',
    ],
  ]
  for (const [visuals, warning] of cases) {
    t.deepEqual(warningsOf({ visuals }), [warning])
    const inScene = warningsOf({ scenes: [{ duration: 5, visuals }] })
    t.deepEqual(inScene, [warning.replaceAll('visuals[', 'scenes[0].visuals[')])
  }
})

test('two clips with one id are named, but not across scenes', (t) => {
  const both = [
    { ...fading, id: 'a', transitionId: 'b' },
    { ...second, id: 'b' },
    { ...second, id: 'b' },
  ]
  t.deepEqual(warningsOf({ visuals: both }), [
    'visuals[2].id duplicate_id: id must be unique among the VIDEO visuals. visuals[1] has "b" too, and a transitionId finds that one.',
  ])
  const scene = { duration: 5, visuals: [{ ...clip, id: 'a' }] }
  t.deepEqual(warningsOf({ duration: undefined, scenes: [scene, scene] }), [])
})

const captions = [{ start: 0, end: 2, text: 'Two words' }]
const subtitled = (subtitle: object) =>
  codesOf({ backgroundColor: '#123', subtitle: { captions, ...subtitle } })

test('an active word is named where the animation has none', (t) => {
  const activeWord = { color: '#ff0000' }
  for (const mode of ['normal', 'none', 'typewriter']) {
    t.deepEqual(subtitled({ animation: mode, activeWord }), ['subtitle.activeWord look_ignored'])
    t.deepEqual(subtitled({ styles: { mode, activeWord } }), [
      'subtitle.styles.activeWord look_ignored',
    ])
  }
  const others = 'one-word karaoke progressive highlight fill pop bounce fade slide'.split(' ')
  for (const animation of others) t.deepEqual(subtitled({ animation, activeWord }), [], animation)
})

test('looks of a subtitle with nothing to show them on are named', (t) => {
  t.deepEqual(subtitled({ styles: { backgroundPadding: 9, backgroundRadius: 4 } }), [
    'subtitle.styles.backgroundPadding look_ignored',
    'subtitle.styles.backgroundRadius look_ignored',
  ])
  const background = { background: '#000000', backgroundPadding: 9, backgroundRadius: 4 }
  t.deepEqual(subtitled({ styles: background }), [])
  t.deepEqual(subtitled({ background: { padding: 9, radius: 4 } }), [])
  t.deepEqual(subtitled({ animation: 'fade', direction: 'left' }), [
    'subtitle.direction look_ignored',
  ])
  t.deepEqual(subtitled({ styles: { slideDirection: 'left' } }), [
    'subtitle.styles.slideDirection look_ignored',
  ])
  t.deepEqual(subtitled({ animation: 'slide', direction: 'left' }), [])
  const activeWord = { color: '#ff0000', radius: 20 }
  t.deepEqual(subtitled({ animation: 'karaoke', activeWord }), [
    'subtitle.activeWord.radius look_ignored',
  ])
  t.deepEqual(subtitled({ animation: 'highlight', activeWord }), [])
})

test('the payload with its defaults written out says nothing new', (t) => {
  const subtitle = { captions, animation: 'karaoke' }
  for (const looks of [subtitle, { captions, styles: { mode: 'karaoke' } }]) {
    const { payload } = resolved({ duration: 5, backgroundColor: '#123', subtitle: looks })
    t.deepEqual(warningsOf({ ...payload, duration: 5 }), [])
  }
})
