import pg from 'pg'

/** Methods by which a client runs a custom query, which pg's types leave out. */
type WireQuery = {
  readonly name: string | undefined
  submit(connection: Wire): unknown
  hasBeenParsed(connection: Wire): unknown
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
  handleError(error: Error, connection: Wire): void
}

/** pg's record of a connection's named statements, and a message that its types leave out. */
type Wire = pg.Connection & {
  readonly parsedStatements: Record<string, string>
  close(statement: { type: 'S'; name: string }): void
}

type Settings = { text: string; values: unknown[]; queryMode: 'extended'; name?: string }
type Done = (error: Error | null, result: pg.QueryResult) => void
const Query = pg.Query as unknown as new (
  settings: Settings,
  values: undefined,
  done: Done,
) => WireQuery

/**
 * A statement with a preamble sent before it, in the same packet and transaction. Postgres ends the
 * transaction of an extended query only at the Sync, which comes after both. So `set_config(…,
 * true)` in the preamble holds for the statement and is undone at its end, without another round
 * trip. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 *
 * Either may have a name, under which the connection keeps it parsed and planned (the plan is also
 * kept for the preamble's role). A name is closed before it is given: after a failure the client
 * cannot know whether the server kept it, and closing an unknown name is no error.
 */
class TenantQuery extends Query {
  readonly #preamble: TenantPreamble
  #isPreambleDone = false
  /** The statement's name, while it is being prepared. */
  #naming: string | undefined

  constructor(preamble: TenantPreamble, settings: Settings, done: Done) {
    super(settings, undefined, done)
    this.#preamble = preamble
  }

  override submit(connection: Wire): unknown {
    const { name, text, values } = this.#preamble
    connection.stream.cork()
    try {
      if (connection.parsedStatements[name] === undefined) {
        connection.close({ type: 'S', name })
        connection.parse({ name, text, types: [] }, true)
      }
      connection.bind({ statement: name, values: [...values] }, true)
      connection.execute({}, true)
      if (this.name !== undefined && !this.hasBeenParsed(connection)) {
        this.#naming = this.name
        connection.close({ type: 'S', name: this.name })
      }
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isPreambleDone) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isPreambleDone) super.handleCommandComplete(message, connection)
    const { name, text } = this.#preamble
    connection.parsedStatements[name] = text
    this.#isPreambleDone = true
  }

  override handleError(error: Error, connection: Wire): void {
    // pg takes the preamble's ParseComplete for the statement's.
    if (this.#naming !== undefined) delete connection.parsedStatements[this.#naming]
    super.handleError(error, connection)
  }
}

export type TenantPreamble = {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/**
 * Runs a statement after its preamble, prepared if it has a name. A failure of either is the
 * statement's.
 */
export async function queryAsTenant(
  client: pg.ClientBase,
  preamble: TenantPreamble,
  { text, values, name }: { text: string; values: readonly unknown[]; name?: string | undefined },
): Promise<pg.QueryResult> {
  return await new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error ? reject(error) : resolve(result))
    const settings: Settings = {
      text,
      values: [...values],
      queryMode: 'extended',
      ...(name !== undefined && { name }),
    }
    const query = new TenantQuery(preamble, settings, done)
    // pg's types know its own queries only.
    client.query(query as unknown as pg.Submittable)
  })
}
