import pg from 'pg'

/** The methods by which a client runs a query of its own making, which pg's types leave out. */
type WireQuery = {
  submit(connection: pg.Connection): unknown
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}

type Settings = { text: string; values: unknown[]; queryMode: 'extended' }
type Done = (error: Error | null, result: pg.QueryResult) => void
const Query = pg.Query as unknown as new (
  settings: Settings,
  values: undefined,
  done: Done,
) => WireQuery

/**
 * A statement with another one sent before it, in the same packet and the same transaction: Postgres
 * ends the transaction that an extended query begins only at the Sync, which comes after both. So
 * `set_config(…, true)` in the first one holds for the second and is undone at its end, for no round
 * trip more. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
class IntroducedQuery extends Query {
  readonly #introduction: Introduction
  #isIntroduced = false

  constructor(introduction: Introduction, settings: Settings, done: Done) {
    super(settings, undefined, done)
    this.#introduction = introduction
  }

  override submit(connection: pg.Connection): unknown {
    const { text, values } = this.#introduction
    connection.stream.cork()
    try {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({ values: [...values] }, true)
      connection.execute({}, true)
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isIntroduced) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isIntroduced) super.handleCommandComplete(message, connection)
    this.#isIntroduced = true
  }
}

export type Introduction = { readonly text: string; readonly values: readonly string[] }

/** Runs a statement behind its introduction. A failure of either is the statement's. */
export async function queryIntroduced(
  client: pg.ClientBase,
  introduction: Introduction,
  { text, values }: { text: string; values: readonly unknown[] },
): Promise<pg.QueryResult> {
  return await new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error ? reject(error) : resolve(result))
    const settings: Settings = { text, values: [...values], queryMode: 'extended' }
    client.query(new IntroducedQuery(introduction, settings, done))
  })
}
