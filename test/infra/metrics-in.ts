/** Names of the farm's metrics in a text, without the suffixes of histograms. */
export function metricsIn(text: string): readonly string[] {
  const names = text.match(/\bfarm_[a-z0-9_]+/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}
