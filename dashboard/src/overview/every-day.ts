export type Day = { readonly date: string; readonly credits: number; readonly jobs: number }

const dayMs = 86_400_000

/** Returns the last `count` days up to today (UTC), in their order; a day without use has zeros. */
export function everyDay(
  used: readonly Day[],
  { count, today }: { count: number; today: Date },
): readonly Day[] {
  const byDate = new Map(used.map((day) => [day.date, day]))
  return Array.from({ length: count }, (_, i) => {
    const date = new Date(today.getTime() - (count - 1 - i) * dayMs).toISOString().slice(0, 10)
    return byDate.get(date) ?? { date, credits: 0, jobs: 0 }
  })
}
