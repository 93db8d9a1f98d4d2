/** Returns the size of the page's text in px: what is laid out in px must follow it. */
export const remInPixels = () =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
