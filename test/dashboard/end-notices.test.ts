import test from 'ava'
import { gatherNotices, type Notice } from '../../dashboard/src/live/end-notices.ts'
import { absoluteTime, day } from '../../dashboard/src/words/format.ts'

const job = (id: string, state = 'completed') => ({ id, name: `Film ${id}`, state })

/** Notices on a clock that a test sets. */
function gathered() {
  let time = 0
  const shown: Notice[] = []
  const due: { readonly at: number; readonly work: () => void }[] = []
  const add = gatherNotices({
    show: (notice) => shown.push(notice),
    now: () => time,
    later: (work, ms) => void due.push({ at: time + ms, work }),
  })
  const goTo = (ms: number) => {
    time = ms
    for (const each of due.splice(0)) {
      if (each.at <= time) each.work()
      else due.push(each)
    }
  }
  return { add, goTo, shown }
}

test('the first end is told at once, with its job', (t) => {
  const { add, shown } = gathered()
  add(job('a'))
  t.deepEqual(shown, [{ title: 'Film a is completed', body: '', path: '/jobs/a' }])
})

test('a name in a notice shows its marks of direction', (t) => {
  const { add, shown } = gathered()
  add({ ...job('a'), name: 'Film \u202e4pm' })
  t.is(shown[0]?.title, 'Film ‹RLO›4pm is completed')
})

test('what ends within ten seconds is told together', (t) => {
  const { add, goTo, shown } = gathered()
  add(job('a'))
  goTo(1_000)
  add(job('b', 'failed'))
  add(job('c'))
  goTo(9_999)
  t.is(shown.length, 1)
  goTo(10_000)
  t.deepEqual(shown[1], {
    ...{ title: '2 jobs have ended', path: '/jobs' },
    body: 'Film b is failed\nFilm c is completed',
  })
  goTo(15_000)
  add(job('d'))
  t.is(shown.length, 2)
  goTo(20_000)
  t.is(shown[2]?.title, 'Film d is completed')
  goTo(60_000)
  add(job('e'))
  t.is(shown.length, 4)
})

test('times name their zone, and a day may be another in UTC', (t) => {
  const time = '2030-03-31T23:59:59Z'
  t.is(absoluteTime(time, 'UTC'), '31 Mar 2030, 23:59:59 UTC')
  t.is(day(time, 'UTC'), '31 March 2030')
  t.regex(absoluteTime(time), /^\d{1,2} \w{3,4} 2030, \d\d:\d\d:59 \S+$/)
})
