export {
  decodePng,
  decodeUsualPng,
  encodePng,
  oneMemory,
  type Pixels,
  sizeOfUsualPng,
} from './plain.ts'
export { createPngs, type Pngs } from './pngs.ts'
