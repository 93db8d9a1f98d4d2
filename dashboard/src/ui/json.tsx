/** Text of JSON in a box that scrolls, which the keyboard reaches. */
export function Json({ text, label }: { text: string; label: string }) {
  return (
    <section
      class="json"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a box that scrolls.
      tabIndex={0}
    >
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  )
}
