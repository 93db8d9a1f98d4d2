import type { ComponentChildren } from 'preact'

/** Table in a box that scrolls sideways, which the keyboard reaches. */
export function WideTable({
  label,
  head,
  numbers = [],
  children,
}: {
  label: string
  head: readonly string[]
  /** Names of the columns of numbers. */
  numbers?: readonly string[]
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a box that scrolls.
    <section class="wide" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((name, at) => (
              <th key={`${at} ${name}`} scope="col" class={numbers.includes(name) ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
