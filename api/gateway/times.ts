import { Type } from 'typebox'

const year = '(?!0000)[0-9]{4}'
const leapYear =
  '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?!0000)(?:[02468][048]|[13579][26])00)'
const dayOfMonth = [
  '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])',
  '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)',
  '02-(?:0[1-9]|1[0-9]|2[0-8])',
].join('|')
const clock = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'

/** A moment on a real day; the seconds may be left out. */
export const Timestamp = Type.String({
  pattern: `^(?:${year}-(?:${dayOfMonth})|${leapYear}-02-29)T${clock}(?::[0-5][0-9](?:\\.[0-9]{1,9})?)?(?:Z|[+-]${clock})$`,
  title: 'a valid time like 2030-01-31T00:00:00Z',
})

/** Years that a time of the query may have, whatever else `date-time` allows. */
export const yearPattern = `^${year}-`
