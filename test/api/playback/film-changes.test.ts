import { mock } from 'node:test'
import test from 'ava'
import { FilmChanges } from '../../../api/playback/film-changes.ts'

/** Changes that a test tells; time stands until it ticks. */
function heard() {
  let tell: (jobId: string | undefined) => void = () => {}
  const changes = new FilmChanges({
    tell: (onChange) => {
      tell = onChange
    },
    start: () => {},
  })
  const woken: string[] = []
  const sleep = (name: string, jobId: string) =>
    void changes.next([jobId]).then(() => woken.push(name))
  const tick = async (ms: number) => {
    mock.timers.tick(ms)
    await new Promise((resolve) => setImmediate(resolve))
    return woken.splice(0).join(' ')
  }
  return { tell: (jobId?: string) => tell(jobId), sleep, tick }
}

test.serial.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
test.serial.afterEach.always(() => mock.timers.reset())

test.serial('a change wakes all who wait for that film, once and together', async (t) => {
  const { tell, sleep, tick } = heard()
  sleep('one', 'a')
  sleep('other', 'b')
  t.is(await tick(500), '')
  tell('a')
  sleep('two', 'a')
  tell('a')
  t.is(await tick(100), 'one two')
  t.is(await tick(1_000), '', 'another film has not changed')
})

test.serial('a lost notification delays players by at most two seconds', async (t) => {
  const { tell, sleep, tick } = heard()
  sleep('one', 'a')
  await tick(1_500)
  sleep('two', 'a')
  t.is(await tick(500), 'one two', 'they wake together')
  sleep('three', 'a')
  tell()
  t.is(await tick(100), 'three', 'the connection broke, and all look again')
})
