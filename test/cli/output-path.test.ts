import test from 'ava'
import { Failure } from '../../cli/failure.ts'
import { checkEnding } from '../../cli/render/output-path.ts'

const refusalOf = (output: string, project: Parameters<typeof checkEnding>[1]) => {
  try {
    checkEnding(output, project)
    return undefined
  } catch (error) {
    return error instanceof Failure ? [error.exitCode, error.message] : error
  }
}

test('a file whose ending does not fit is refused with fitting endings', (t) => {
  const still = { type: 'image', outputFormat: 'png' } as const
  const film = { type: 'video', outputFormat: 'mp4' } as const
  t.deepEqual(refusalOf('x.mp4', still), [
    2,
    '--output must end in .png, as this still has the outputFormat png. Got x.mp4',
  ])
  t.deepEqual(refusalOf('out/x.png', film), [
    2,
    '--output must end in .mp4, as this film has the outputFormat mp4. Got out/x.png',
  ])
  t.regex(String(refusalOf('x.png', { ...still, outputFormat: 'jpg' })), /in \.jpg or \.jpeg,/)
  t.regex(String(refusalOf('x.mov', film)), /in \.mp4,/)
  for (const output of ['x.png', 'x.PNG', 'out/still', 'launch-v1.2']) {
    t.is(refusalOf(output, still), undefined)
  }
  t.is(refusalOf('x.jpeg', { ...still, outputFormat: 'jpg' }), undefined)
})
