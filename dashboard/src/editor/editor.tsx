import './editor.css'
import { useLocation } from 'preact-iso'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { Shown } from '../ui/parts.tsx'
import { placeFor } from './draft.ts'
import { openSource } from './source.ts'
import { Workshop } from './workshop.tsx'

/** `/editor`: a new project, or one of a template, a job or an example. */
export function Editor() {
  const { query } = useLocation()
  const { template, job, example } = query
  const opened = { template, job, example }
  const place = placeFor(opened)
  const source = useLoaded((signal) => openSource(opened, signal), [place])
  const profile = useLoaded((signal) => farm.profile({ signal }), [])
  return (
    <Shown of={source}>
      {(shown) => (
        <Shown of={profile}>
          {({ plan }) => <Workshop key={place} source={shown} place={place} plan={plan.name} />}
        </Shown>
      )}
    </Shown>
  )
}
