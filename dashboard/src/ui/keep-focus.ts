/** A page that was just opened has no focus to lose: there the keyboard begins at the top. */
let hadFocus = false
addEventListener('focusin', () => {
  hadFocus = true
})

/** True when what had the focus is gone: the keyboard would begin at the top of the page again. */
function isFocusLost(): boolean {
  return hadFocus && (document.activeElement === null || document.activeElement === document.body)
}

const content = () => document.getElementById('content')

/** Gives a lost focus to the page's content, until it has a heading. */
export function focusContent(): void {
  if (isFocusLost()) content()?.focus({ preventScroll: true })
}

/** Gives a lost focus to the page's heading, which a screen reader then reads. */
export function focusHeading(): void {
  if (isFocusLost()) content()?.querySelector('h1')?.focus({ preventScroll: true })
}

/** Goes on to the heading of a page that has come, from the content that had the focus meanwhile. */
export function arriveAtHeading(): void {
  if (document.activeElement === content()) content()?.querySelector('h1')?.focus()
  else focusHeading()
}

/** Keeps the focus when the router takes an old page away, which no page hears of. */
export function keepFocusIn(element: HTMLElement): () => void {
  const observer = new MutationObserver(() => {
    focusHeading()
    focusContent()
  })
  observer.observe(element, { childList: true })
  return () => observer.disconnect()
}
