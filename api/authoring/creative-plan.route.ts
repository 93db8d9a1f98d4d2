import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import { priceAtSubmission } from '../../core/jobs/pricing.ts'
import { rankExamples, wordsOf } from '../../core/library/creative-plan.ts'
import { isRecord } from '../../core/project/check.ts'
import { text } from '../../core/project/schema/fields.ts'
import { validateRequest } from '../../core/project/validate.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import type { Library, LibraryItem } from './catalogue.ts'
import { showLibraryItem } from './library.route.ts'

const CreativeBrief = Type.Object(
  {
    brief: Type.String({
      minLength: 3,
      maxLength: 5000,
      pattern: '^[^\\u0000]*[^\\s\\u0000]\\s*$',
    }),
    type: Type.Optional(Type.Enum(['video', 'image'])),
    aspectRatio: Type.Optional(
      Type.String({ pattern: '^(?:custom|[1-9]\\d?:[1-9]\\d?)$', title: 'a ratio like 16:9' }),
    ),
    variationMode: Type.Optional(Type.Enum(['consistent', 'fresh', 'explore'])),
    variationSeed: Type.Optional(Type.Union([text(128), Type.Integer()])),
    exploreCount: Type.Optional(Type.Integer({ minimum: 2, maximum: 5 })),
    recentAssetSlugs: Type.Optional(Type.Array(text(255))),
    duration: Type.Optional(Type.Number({ minimum: 0.1, maximum: 86_400 })),
    style: Type.Optional(text(100)),
    motionIntensity: Type.Optional(text(40)),
    preferredMedia: Type.Optional(text(40)),
    brand: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    name: Type.Optional(text(255)),
  },
  { title: 'a creative brief', additionalProperties: false },
)
const read = bodyReader(CreativeBrief)
type CreativeBrief = Static<typeof CreativeBrief>

const Choice = Type.Object({
  slug: Type.String(),
  title: Type.String(),
  description: Type.String(),
  type: Type.String(),
  thumbnail: Type.String({ format: 'uri' }),
  contentUrl: Type.String({ format: 'uri' }),
  score: Type.Number(),
  matchedWords: Type.Array(Type.String()),
})
const CreativePlan = Type.Object({
  kind: Type.Literal('example-plan'),
  method: Type.String({ description: 'Explanation of how the plan was made' }),
  brief: Type.String(),
  name: Type.String(),
  decision: Type.Enum(['adapt-example', 'no-match']),
  example: Choice,
  candidates: Type.Array(Choice),
  storyboard: Type.Array(
    Type.Object({
      id: Type.String(),
      duration: Type.Union([Type.Number(), Type.Null()]),
      elements: Type.Integer(),
    }),
  ),
  variables: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Variables that take your own words',
  }),
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Payload of the example, unchanged',
  }),
  valid: Type.Literal(true),
  creditsRequired: Type.Integer({
    description: 'Credits that a submission of the payload would hold',
  }),
  warnings: Type.Array(WarningView),
  searchQueries: Type.Object({
    designTemplates: Type.Array(Type.String()),
    canvasPresets: Type.Array(Type.String()),
  }),
  notUsed: Type.Array(Type.String(), {
    description: 'Fields of the brief that word matching cannot consider',
  }),
})

const method =
  'The words of the brief were compared with the titles and descriptions of the library’s examples. No language model was used and no text was written. The payload is the closest example; change it through its variables.'
const heeded: readonly string[] = [
  ...['brief', 'type', 'aspectRatio', 'variationMode', 'variationSeed', 'exploreCount'],
  ...['recentAssetSlugs', 'name'],
]
const shown = 5

/**
 * POST /api/render/creative-plan/api-key, or without /api-key signed in; creates and costs nothing.
 */
export function creativePlanRoute(
  server: Server,
  { trustedHosts }: ApiContext,
  library: () => Library,
): void {
  const schema = { tags: ['authoring'], response: { 200: CreativePlan, 400: Problem } }
  const access = { scope: 'render', body: CreativeBrief } as const
  const plan = async ({ body, account }: FastifyRequest) =>
    makePlan(read(body), { library: library(), limits: account.limits, trustedHosts })
  const withKey = { ...access, credentials: ['key'] } as const
  const signedIn = { ...access, credentials: ['session'] } as const
  server.post('/api/render/creative-plan/api-key', { schema, config: withKey }, plan)
  server.post('/api/render/creative-plan', { schema, config: signedIn }, plan)
}

type Validators = {
  readonly library: Library
  readonly limits: PlanLimits
  readonly trustedHosts: readonly string[]
}
type Example = LibraryItem & { readonly type: 'video' | 'image' }

function makePlan(sent: CreativeBrief, validators: Validators): Static<typeof CreativePlan> {
  const { brief, type, aspectRatio, variationMode = 'fresh', variationSeed: seed } = sent
  const examples = validators.library.items.examples.filter(
    (item): item is Example => item.type === 'video' || item.type === 'image',
  )
  const criteria = {
    brief,
    ...(type && { type }),
    ...(aspectRatio !== undefined && { aspectRatio }),
    ...(seed !== undefined && { seed: String(seed) }),
  }
  const wanted = rankExamples(examples, { ...criteria, exclude: sent.recentAssetSlugs ?? [] })
  const all = rankExamples(examples, { brief })
  const best = [...wanted, ...all].find(({ example }) => isValid(example, validators))
  if (!best) throw new Error('an example of the library must be valid on every plan')
  const { example, score, matchedWords } = best
  const { resolution, credits } = validateExample(example, validators)
  const payload = example.content
  const count = variationMode === 'explore' ? (sent.exploreCount ?? 3) : shown
  const showChoice = (each: typeof best) => {
    const { slug, title, description, thumbnail, contentUrl } = showLibraryItem(
      validators.library,
      each.example,
    )
    const { score, matchedWords } = each
    const about = { slug, title, description, type: each.example.type, thumbnail, contentUrl }
    return { ...about, score, matchedWords: [...matchedWords] }
  }
  return {
    ...{ kind: 'example-plan' as const, method, brief, name: sent.name ?? example.title },
    decision: matchedWords.length > 0 && score > 0 ? 'adapt-example' : 'no-match',
    example: showChoice(best),
    candidates: wanted.slice(0, count).map(showChoice),
    storyboard: storyboardOf(payload),
    variables: isRecord(payload.variables) ? { ...payload.variables } : {},
    payload: { ...payload },
    valid: true,
    creditsRequired: credits,
    warnings: showWarnings(resolution.warnings, null),
    searchQueries: {
      designTemplates: wordsOf(brief).slice(0, 3),
      canvasPresets: [formOf(example)],
    },
    notUsed: Object.keys(sent).filter((field) => !heeded.includes(field)),
  }
}

function isValid({ content }: Example, { limits, trustedHosts }: Validators): boolean {
  return !('faults' in validateRequest({ payload: content }, limits, { trustedHosts, lint: false }))
}

/** Facts of a valid example. */
function validateExample({ content }: Example, { limits, trustedHosts }: Validators) {
  const validation = validateRequest({ payload: content }, limits, { trustedHosts })
  if ('faults' in validation) throw new Error('the example must be valid')
  const { resolution } = validation
  return { resolution, credits: priceAtSubmission(resolution.project, limits).credits }
}

function storyboardOf({ scenes, visuals }: Readonly<Record<string, unknown>>) {
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  if (!Array.isArray(scenes)) return [{ id: 'whole', duration: null, elements: count(visuals) }]
  return scenes.filter(isRecord).map((scene, i) => ({
    id: typeof scene.id === 'string' ? scene.id : String(i + 1),
    duration: typeof scene.duration === 'number' ? scene.duration : null,
    elements: count(scene.visuals),
  }))
}

function formOf({ width, height }: Example): string {
  if (width === height) return 'square'
  return width > height ? 'landscape' : 'portrait'
}
