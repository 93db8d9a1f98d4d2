import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'

/**
 * Yes-or-no questions to the person at the host. Only hosts of 2026-07-28 that declare elicitation can
 * be asked: the call answers with the question, and the host repeats it with the answer. What was
 * asked goes out and comes back as a signed text, so that any replica takes the answer.
 */

export type Question = {
  /** Subject of the question; an answer counts for nothing else. */
  readonly subject: string
  readonly text: string
}

export type PersonsAnswer = 'yes' | 'no' | undefined

/** Asks the person of one call. */
export type Person = {
  /** Returns the answer about a subject; undefined: there is none yet. */
  answerAbout(subject: string): PersonsAnswer
}

/** Secrets that every process which may get an answer shares, the newest first. */
export type QuestionSecrets = readonly [Uint8Array, ...Uint8Array[]]

type State = { readonly subject: string }

const refusedState = Symbol('refused')
type RefusedState = typeof refusedState

const key = 'confirm'
/** Validity of a question: that of a quote. */
const ttlSeconds = 900

const requestedSchema = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'Render and pay' } },
  required: ['agree'],
}

/** `secrets`: the first signs, all of them read. `owner`: whose calls may use the answers. */
export function createQuestions({ secrets, owner }: { secrets: QuestionSecrets; owner: string }) {
  const codecOf = (key: Uint8Array) =>
    createRequestStateCodec<State>({ key, ttlSeconds, bind: () => owner })
  const [codec, ...older] = [codecOf(secrets[0]), ...secrets.slice(1).map(codecOf)] as const
  return {
    /** Checks the signature before a tool is called. The SDK's own refusal says nothing to do. */
    async verify(state: string, context: ServerContext): Promise<State | RefusedState> {
      const tries = [codec, ...older].map((each) => each.verify(state, context))
      return await Promise.any(tries).catch(() => refusedState)
    },

    /** Answers whether a call brings a changed, foreign or expired state. */
    isRefused({ mcpReq }: ServerContext): boolean {
      return mcpReq.requestState<State | RefusedState>() === refusedState
    },

    /** Returns the person of this call; undefined where the host cannot ask one. */
    personOf(context: ServerContext): Person | undefined {
      if (!canAsk(context)) return undefined
      const { inputResponses, requestState } = context.mcpReq
      const state = requestState<State>()
      return {
        answerAbout(subject) {
          if (state?.subject !== subject) return undefined
          const given = inputResponse(inputResponses, key)
          if (given.kind !== 'elicit') return undefined
          return acceptedContent(inputResponses, key)?.agree === true ? 'yes' : 'no'
        },
      }
    },

    /** Returns the result that asks the person. */
    async ask({ subject, text }: Question, context: ServerContext): Promise<InputRequiredResult> {
      return inputRequired({
        inputRequests: { [key]: inputRequired.elicit({ message: text, requestedSchema }) },
        requestState: await codec.mint({ subject }, context),
      })
    },
  }
}

export type Questions = ReturnType<typeof createQuestions>

/** Answers whether the client of this very request shows forms; older revisions cannot be asked. */
function canAsk({ mcpReq }: ServerContext): boolean {
  const envelope: Partial<Record<string, unknown>> = { ...mcpReq.envelope }
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const { elicitation } = declared ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || !('url' in elicitation))
}
