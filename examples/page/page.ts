/** A rendered example. Files are named relative to `out/examples/`. */
export type Shown = {
  readonly name: string
  readonly output: string
  readonly isFilm: boolean
  readonly width: number
  readonly height: number
  /** Seconds; 0 for a still. */
  readonly duration: number
  readonly size: number
  /** Seconds from POST to the finished file. */
  readonly seconds: number
  readonly frames: readonly { readonly time: number; readonly file: string }[]
}

const style = `
  :root { color-scheme: dark; --ink: #efe9f4; --soft: #a79db5; --line: #2c2638; --ground: #14111b }
  * { box-sizing: border-box }
  body { margin: 0; padding: 48px clamp(16px, 5vw, 72px) 96px; background: var(--ground); color: var(--ink);
    font: 16px/1.5 system-ui, sans-serif }
  h1 { font-size: 34px; letter-spacing: -0.02em; margin: 0 0 6px }
  h2 { font-size: 22px; margin: 0 }
  p { color: var(--soft); margin: 0 }
  nav { display: flex; flex-wrap: wrap; gap: 8px; margin: 24px 0 8px }
  nav a { padding: 4px 12px; border: 1px solid var(--line); border-radius: 99px; color: var(--ink); text-decoration: none }
  nav a:hover { border-color: var(--soft) }
  section { margin-top: 56px; padding-top: 24px; border-top: 1px solid var(--line) }
  .whole { display: block; margin: 18px 0; max-width: 100%; max-height: 560px; border-radius: 10px;
    background: repeating-conic-gradient(#26202f 0 25%, #1b1723 0 50%) 0 0 / 24px 24px }
  .frames { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 12px }
  figure { margin: 0 }
  figure img { width: 100%; border-radius: 6px; display: block }
  figcaption { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums }
`

/** Returns the page as HTML; it belongs beside the folder `examples` with the files. */
export function page(examples: readonly Shown[]): string {
  const links = examples.map(({ name }) => `<a href="#${name}">${name}</a>`).join('')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Examples</title>
<style>${style}</style>
<h1>Examples</h1>
<p>Each rendered by a farm on this machine from <code>examples/NAME/project.json</code>.</p>
<nav>${links}</nav>
${examples.map(section).join('\n')}
</html>
`
}

function section(example: Shown): string {
  const { name, output, isFilm } = example
  const source = `examples/${output}`
  const whole = isFilm
    ? `<video class="whole" controls muted loop preload="metadata" poster="examples/${example.frames.at(-1)?.file}" src="${source}"></video>`
    : `<img class="whole" src="${source}" alt="${name}">`
  const frames = example.frames
    .map(
      ({ time, file }) =>
        `<figure><img loading="lazy" src="examples/${file}" alt=""><figcaption>${time.toFixed(2)} s</figcaption></figure>`,
    )
    .join('')
  return `<section id="${name}"><h2>${name}</h2><p>${facts(example)}</p>${whole}<div class="frames">${frames}</div></section>`
}

function facts({ width, height, duration, isFilm, size, seconds }: Shown): string {
  const length = isFilm ? `${Number(duration.toFixed(2))} s, ` : ''
  return `${width}×${height}, ${length}${Math.ceil(size / 1000)} kB, rendered in ${seconds.toFixed(1)} s`
}
