/** The farm's metrics that a text names, without what histograms add to their names. */
export function metricsIn(text: string): readonly string[] {
  const names = text.match(/\bfarm_[a-z0-9_]+/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}
