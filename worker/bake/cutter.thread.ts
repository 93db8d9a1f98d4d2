import { answerAsked } from '../process/side-thread.ts'
import { createCut } from './cut.ts'

/** Thread of cutter.ts: cuts pictures. */
answerAsked(createCut())
