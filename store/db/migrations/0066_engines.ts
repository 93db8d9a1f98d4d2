import { type Kysely, sql } from 'kysely'

/**
 * Makes the engine a requirement of tasks: nodes of two engines serve side by side, each its own
 * plans. A node registers its engine as its version, so a trigger puts that into the offer, also
 * where a scheduler of the release before writes it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create function keep_engine() returns trigger language plpgsql as $$
    begin
      new.offer := new.offer || jsonb_build_object('engine', new.version);
      return new;
    end $$`,
  `create trigger nodes_engine before insert or update of offer on nodes
    for each row execute function keep_engine()`,
  'update nodes set offer = offer',
  `create or replace function task_lacks(kind text, needs jsonb, offer jsonb) returns text[]
    language sql immutable parallel safe as $$
    select coalesce(array_agg(lack), '{}') from (
      select 'a node that does ' || kind as lack where not offer->'kinds' ? kind
      union all
      select 'engine ' || (needs->>'engine') where needs->>'engine' <> offer->>'engine'
      union all
      select 'encoder ' || name from (values (needs->>'encoder'), (needs->>'soundEncoder'))
        as encoders (name) where name is not null and not offer->'encoders' ? name
      union all
      select 'canvas ' || (needs->>'canvas') where needs->>'canvas' <> offer->>'canvas'
      union all
      select 'device ' || (needs->>'device') where needs->>'device' <> offer->>'device'
      union all
      select 'pool ' || (needs->>'pool') where needs->>'pool' <> offer->>'pool'
      union all
      select 'tag ' || tag from jsonb_array_elements_text(needs->'tags') tag
        where not offer->'tags' ? tag
      union all
      select (needs->>name) || ' ' || unit from (values
        ('slots', 'slots', true), ('memoryMb', 'MB of memory', true),
        ('gpuMemoryMb', 'MB of GPU memory', false), ('encoderSessions', 'encoder sessions', true)
      ) as sizes (name, unit, unsaid_is_enough)
      where (needs->>name)::double precision > coalesce((offer->>name)::double precision, 0)
        and not (unsaid_is_enough and coalesce((offer->>name)::double precision, 0) = 0)
    ) lacks $$`,
]
