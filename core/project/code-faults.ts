import { Parser } from 'acorn'

/**
 * Checks JavaScript by its grammar alone, never by running it: a classic script of the newest edition,
 * as the bake's browser accepts. It may be more lenient than the browser and must not be stricter.
 */

type Node = { readonly type: string }

/** Overridden methods of acorn's parser, which its types do not list. */
type Inner = {
  declareName(name: string, bindingType: number, at: number): void
  validateRegExpPattern(state: { readonly source: string }): void
  toAssignable(node: Node | null, isBinding?: boolean, errors?: unknown): Node | null
  checkLValSimple(node: Node, bindingType?: number, clashes?: unknown): void
}

/** Bounded, since acorn's search for name clashes, also within a pattern, takes quadratic time. */
const maxNames = 2_000
const maxPattern = 2_000

const Base = Parser as unknown as new (options: object, input: string) => Inner

class ScriptParser extends Base {
  #names = 0

  override declareName(name: string, bindingType: number, at: number) {
    this.#names += 1
    if (this.#names <= maxNames) super.declareName(name, bindingType, at)
  }

  override validateRegExpPattern(state: { readonly source: string }) {
    if (state.source.length <= maxPattern) super.validateRegExpPattern(state)
  }

  /** Accepts `f() = 1`: it is a valid script, which fails only when it runs. */
  override toAssignable(node: Node | null, isBinding = false, errors?: unknown) {
    if (node?.type === 'CallExpression' && !isBinding) return node
    return super.toAssignable(node, isBinding, errors)
  }

  override checkLValSimple(node: Node, bindingType = 0, clashes?: unknown) {
    if (node.type === 'CallExpression' && bindingType === 0) return
    super.checkLValSimple(node, bindingType, clashes)
  }
}

/**
 * Faults to ignore: nesting beyond this process's stack, and a form of import that acorn does not know.
 */
const unsure = /^Not enough stack space|^The only valid meta property for import/

type SyntaxFault = SyntaxError & {
  readonly pos: number
  readonly loc: { readonly line: number; readonly column: number }
}

/** Returns the parser's first fault with its position, or undefined. */
export function codeFault(js: string): string | undefined {
  try {
    const parser = new ScriptParser({ ecmaVersion: 'latest', sourceType: 'script' }, js)
    ;(parser as unknown as Parser).parse()
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError) || unsure.test(error.message)) return undefined
    const { message, pos, loc } = error as SyntaxFault
    const said = message
      .replace(/ \(\d+:\d+\)$/, '')
      .replace("with 'sourceType: module'", 'in a module')
    const seen = /^Unexpected token/.test(said) ? ` ${seenAt(js, pos)}` : ''
    return `js must be JavaScript. Got ${said}${seen} in line ${loc.line}, column ${loc.column + 1}`
  }
}

function seenAt(js: string, pos: number): string {
  const [token] = /^(?:[\p{L}\p{N}_$]+|[\s\S])/u.exec(js.slice(pos, pos + 40)) ?? []
  return token === undefined ? 'at the end' : JSON.stringify(token)
}
