export { isReferred } from './parameter-sets.ts'
export { type Coding, insertRepeats, keyFramesOf } from './repeated-frames.ts'
