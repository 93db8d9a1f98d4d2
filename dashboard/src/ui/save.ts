/** Saves a text as a file of the browser's downloads. */
export function save(text: string, { name, type }: { name: string; type: string }): void {
  saveBlob(new Blob([text], { type }), name)
}

/** Saves bytes as a file of the browser's downloads. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
