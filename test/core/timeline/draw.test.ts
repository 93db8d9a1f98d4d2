import test from 'ava'
import {
  type DrawCommand,
  hasClip,
  type PictureCommand,
  picturesOf,
} from '../../../core/timeline/draw.ts'

const picture = (digest: string, isClip = false): PictureCommand => ({
  op: 'picture',
  pixels: isClip
    ? { kind: 'clip', digest, frame: 0, frameRate: [25, 1], size: [8, 8] }
    : { kind: 'media', digest },
  source: [0, 0, 8, 8],
  dest: [0, 0, 8, 8],
  matrix: [1, 0, 0, 1, 0, 0],
  opacity: 1,
})

const transition = (from: DrawCommand[], to: DrawCommand[]): DrawCommand => ({
  ...{ op: 'transition', name: 'fade', progress: 0.5, box: [0, 0, 8, 8] },
  ...{ from, to },
})

const fill: DrawCommand = { op: 'fill', rect: [0, 0, 8, 8], color: '#000000' }

test('pictures within nested transitions are listed bottom first, from before to', (t) => {
  const inner = transition([picture('b')], [picture('c')])
  const commands = [fill, picture('a'), transition([fill, inner], [picture('d')]), picture('e')]
  t.is(
    picturesOf(commands)
      .map(({ pixels }) => pixels.digest)
      .join(''),
    'abcde',
  )
})

test('a clip is found within a transition, and only a clip', (t) => {
  t.true(hasClip([fill, transition([], [transition([picture('a', true)], [])])]))
  t.false(hasClip([fill, picture('a'), transition([picture('b')], [])]))
})
