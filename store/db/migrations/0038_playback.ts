import { type Kysely, sql } from 'kysely'

/**
 * Films that are played while they render: the format tells at once whether a film can be, `written`
 * which outputs of a running attempt are in the store, `wanted` which segments a player waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column film_format text`.execute(db)
  await sql`alter table attempts add column written text[] not null default '{}'`.execute(db)
  await sql`alter table tasks add column wanted integer[] not null default '{}'`.execute(db)
}
