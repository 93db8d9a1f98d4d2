import {
  getLanguageService,
  type JSONSchema,
  type MarkedString,
  type MarkupContent,
  TextDocument,
} from 'vscode-json-languageservice'
import { elements } from '../../../core/project/elements.ts'
import { requestJsonSchema } from '../../../core/project/schema/publish.ts'

export type LanguageQuestion = {
  readonly kind: 'complete' | 'describe'
  readonly text: string
  readonly offset: number
}

/** A completion: `insert` replaces the text between `from` and `to`; `${1:x}` are its stops. */
export type Offer = {
  readonly label: string
  readonly detail: string
  readonly type: string
  readonly from: number
  readonly to: number
  readonly insert: string
}

export type LanguageAnswer = {
  readonly offers: readonly Offer[]
  /** Returns the meaning of the word at the offset; null where none is known. */
  readonly description: { readonly from: number; readonly to: number; readonly text: string } | null
}

const service = getLanguageService({})
service.configure({
  schemas: [{ uri: 'farm:project', fileMatch: ['*'], schema: withSnippets() }],
})

/** Adds an example of each element, to begin a new one from. */
function withSnippets(): JSONSchema {
  const schema: JSONSchema = requestJsonSchema('project')
  const definitions = (schema.$defs ?? {}) as Record<string, JSONSchema>
  // Each description tells of placeholders; the service would put this title before it.
  delete definitions.Placeholder?.title
  const byDefinition: Record<string, string> = { AudioItem: 'AUDIO', Scene: 'SCENE' }
  for (const [name, definition] of Object.entries(definitions)) {
    const type = byDefinition[name] ?? /^(\w+)Visual$/.exec(name)?.[1]?.toUpperCase()
    const element = elements.find((each) => each.type === type)
    if (!element) continue
    const { summary, example } = element
    definition.defaultSnippets = [
      { label: `New ${element.type}`, description: summary, body: example },
    ]
  }
  return schema
}

export async function answerLanguage({
  kind,
  text,
  offset,
}: LanguageQuestion): Promise<LanguageAnswer> {
  const isPart = kind === 'complete' && lacksComma(text, offset)
  const end = wordEnd(text, offset)
  const asked = isPart ? `${text.slice(0, end)},${text.slice(end)}` : text
  const document = TextDocument.create('farm:project.json', 'json', 1, asked)
  const parsed = service.parseJSONDocument(document)
  const position = document.positionAt(offset)
  if (kind === 'describe') {
    const hover = await service.doHover(document, position, parsed)
    const described = hover ? textOf(hover.contents) : ''
    if (!hover?.range || described === '') return { offers: [], description: null }
    const { start, end } = hover.range
    const place = { from: document.offsetAt(start), to: document.offsetAt(end) }
    return { offers: [], description: { ...place, text: described } }
  }
  const list = await service.doComplete(document, position, parsed)
  const offers = (list?.items ?? []).flatMap((item): Offer[] => {
    const { textEdit, label, documentation } = item
    if (!textEdit || !('range' in textEdit)) return []
    const { start, end: last } = textEdit.range
    const to = document.offsetAt(last)
    const isName = item.kind === propertyKind && /^"[^"]*"$/.test(textEdit.newText)
    // The service adds no colon where a field takes values of several types.
    const colon = isName && !text.slice(to).trimStart().startsWith(':') ? `: \${1}` : ''
    return [
      {
        ...{ label, detail: documentation === undefined ? '' : textOf(documentation) },
        type: kinds[item.kind ?? 0] ?? 'text',
        ...{ from: document.offsetAt(start), to },
        insert: `${textEdit.newText}${colon}${isPart ? ',' : ''}`,
      },
    ]
  })
  return { offers, description: null }
}

function wordEnd(text: string, offset: number): number {
  return offset + (/^[\w-]*"?/.exec(text.slice(offset))?.[0].length ?? 0)
}

/** True while another property follows without a comma: then the service reads it as the value. */
function lacksComma(text: string, offset: number): boolean {
  return text.slice(wordEnd(text, offset)).trimStart().startsWith('"')
}

const propertyKind = 10

/** Kinds of the protocol that JSON has: a value, an enum's value, a property, a snippet. */
const kinds: Readonly<Record<number, string>> = {
  ...{ 12: 'constant', 13: 'enum', [propertyKind]: 'property', 15: 'keyword' },
}

function textOf(contents: MarkupContent | MarkedString | MarkedString[] | string): string {
  if (Array.isArray(contents)) return contents.map(textOf).join(' ')
  const text = typeof contents === 'string' ? contents : contents.value
  // Descriptions are plain text; the service escapes what Markdown would read otherwise.
  return text.replace(/\\([\\`*_{}[\]()#+\-.!<>|])/g, '$1').trim()
}
