import { answerAsked } from '../side-thread.ts'
import { createCut } from './cut.ts'

/** Cuts pictures for cutter.ts. */
answerAsked(createCut())
