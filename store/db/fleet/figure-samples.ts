import { sql } from 'kysely'
import type { KeptFigures } from '../../../core/charts/kept-figures.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

/** A sample older than this is removed. */
const keptMinutes = 60

export type FigureSample = { readonly at: Date; readonly figures: KeptFigures }

/** Keeps the figures of now, and removes those of more than an hour ago. */
export async function keepFigureSample(db: Db, figures: KeptFigures): Promise<void> {
  await sql`
    with old as (
      delete from figure_samples where at < now() - ${keptMinutes} * interval '1 minute'
    )
    insert into figure_samples (figures) values (${jsonb(figures)}::jsonb)
    on conflict (at) do nothing`.execute(db)
}

/** Lists the samples of the last minutes, the oldest first. */
export async function listFigureSamples(
  db: Db,
  { minutes }: { readonly minutes: number },
): Promise<readonly FigureSample[]> {
  const { rows } = await sql<FigureSample>`
    select at, figures from figure_samples
    where at > now() - ${minutes} * interval '1 minute' order by at`.execute(db)
  return rows
}
