import test from 'ava'
import { mediaWarnings } from '../../../core/plan/media-warnings.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { audioOf, factsOf, projectOf, soundSrc } from '../project-of.ts'

test('a cut-off sound is reported at the field that names it', (t) => {
  const { media } = factsOf()
  const key = mediaKey({ expect: 'audio', url: soundSrc })
  const known = media.get(key)
  if (known?.facts.kind !== 'audio') return t.fail()
  const project = projectOf({ audios: [audioOf({ field: 'audios[0]' })] })
  t.deepEqual(mediaWarnings(project, media), [])
  const facts = { ...known.facts, warnings: ['The sound is cut off.'] }
  const damaged = new Map([...media, [key, { ...known, facts }]])
  return t.deepEqual(mediaWarnings(project, damaged), [
    { field: 'audios[0].src', code: 'media_damaged', message: 'The sound is cut off.' },
  ])
})
