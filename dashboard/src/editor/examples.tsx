import { useState } from 'preact/hooks'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Shown } from '../ui/parts.tsx'

/** Opens one of the farm's examples. Work on another project stays where it is, for this tab. */
export function Examples() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Examples
      </button>
      {isOpen && (
        <Dialog title="Open an example" onClose={() => setOpen(false)}>
          <Rows onChosen={() => setOpen(false)} />
          <div class="actions">
            <button type="button" onClick={() => setOpen(false)}>
              Not now
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Rows({ onChosen }: { onChosen: () => void }) {
  const examples = useLoaded(
    (signal) => caller.ask('GET /api/library/{kind}', { id: 'examples', signal }),
    [],
  )
  return (
    <Shown of={examples}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="quiet">This farm has none.</p>
        ) : (
          <ul class="rows examples">
            {items.map(({ slug, title, description }) => (
              <li key={slug} class="row">
                <span class="picture">
                  <img
                    src={`/api/library/examples/${slug}/thumbnail`}
                    alt=""
                    loading="lazy"
                    decoding="async"
                  />
                </span>
                <span class="row-name">
                  <a href={`/editor?example=${slug}`} onClick={onChosen}>
                    {title}
                  </a>
                  <span class="quiet">{description}</span>
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  )
}
