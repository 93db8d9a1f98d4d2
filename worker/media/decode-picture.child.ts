/**
 * Runs in the sandbox, a process for each batch: decodes pictures to raw pixels. argv[2] is a JSON
 * array of DecodeRequest; a JSON line answers each, in order. The worker never decodes what a
 * stranger sent in its own process.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import sharp from 'sharp'
import { decodePicture, type Preparation } from './decode-picture.ts'
import { pixelHeader } from './pixel-file.ts'

type DecodeRequest = Preparation & { readonly file: string; readonly to: string }

sharp.concurrency(1)
sharp.cache(false)
const requests: DecodeRequest[] = JSON.parse(process.argv[2] ?? '[]')
for (const { file, to, ...preparation } of requests) {
  try {
    const { raw, ...facts } = await decodePicture(file, preparation)
    writePixels(to, [pixelHeader(facts), raw])
    console.log(JSON.stringify(facts))
  } catch (error) {
    console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
  }
}

function writePixels(to: string, parts: readonly Buffer[]): void {
  const file = openSync(to, 'w')
  for (const part of parts) {
    for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
  }
  closeSync(file)
}
