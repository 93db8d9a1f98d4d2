import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { Failure } from '../../cli/failure.ts'
import { findLocalMedia, pointTo } from '../../cli/render/local-media.ts'
import type { RequestFile } from '../../cli/render/project-file.ts'
import { newFolder } from './run-farm.ts'

const folder = newFolder()
const file = join(folder, 'project.json')
mkdirSync(join(folder, 'media'))
for (const name of ['a.png', 'b.png', 'c.m4a']) writeFileSync(join(folder, 'media', name), name)

function fieldsOf(request: RequestFile): string[] {
  return findLocalMedia(request, file).map(({ field }) => field)
}

test('paths are found in visuals, audios and scenes; URLs are left alone', (t) => {
  const request = {
    payload: {
      thumbnail: 'media/a.png',
      visuals: [
        { type: 'IMAGE', src: 'media/a.png' },
        { type: 'IMAGE', src: 'https://example.com/a.png' },
        { type: 'TEXT', text: 'media/a.png' },
      ],
      audios: [{ src: './media/c.m4a' }],
      scenes: [{ visuals: [{ type: 'IMAGE', src: 'media/b.png' }] }],
    },
  }
  const scene = 'scenes[0].visuals[0].src'
  t.deepEqual(fieldsOf(request), ['thumbnail', 'visuals[0].src', 'audios[0].src', scene])
})

test('a path is relative to the folder of the project file', (t) => {
  const request = { payload: { visuals: [{ type: 'IMAGE', src: 'media/a.png' }] } }
  t.deepEqual(
    findLocalMedia(request, file).map((media) => media.file),
    [join(folder, 'media', 'a.png')],
  )
})

test('a path from a variable is found where the variable stands', (t) => {
  const visual = (name: string) => ({ type: 'IMAGE', src: `{{ ${name} }}` })
  const request = {
    variables: { hero: 'media/a.png' },
    payload: {
      variables: { set: { photo: 'media/b.png' }, caption: 'media/a.png' },
      visuals: [visual('hero'), visual('set.photo')],
      scenes: [{ variables: { own: 'media/a.png' }, visuals: [visual('own')] }],
    },
  }
  t.deepEqual(fieldsOf(request), [
    'variables.hero',
    'variables.set.photo',
    'scenes[0].variables.own',
  ])
})

test('a variable that overrides the project’s own is found in both places', (t) => {
  const request = {
    variables: { hero: 'media/a.png' },
    payload: {
      variables: { hero: 'media/b.png' },
      visuals: [{ type: 'IMAGE', src: '{{ hero }}' }],
    },
  }
  const media = findLocalMedia(request, file)
  const pointed = pointTo(request, media, ({ text }) => `https://host/${text}`)
  t.deepEqual(pointed.variables, { hero: 'https://host/media/a.png' })
  t.deepEqual(pointed.payload.variables, { hero: 'https://host/media/b.png' })
})

test('each item of an array that a scene iterates over is found', (t) => {
  const request = {
    variables: { photos: [{ src: 'media/a.png' }, { src: 'media/b.png' }] },
    payload: {
      scenes: [
        {
          iterate: 'photos',
          iterateAs: 'photo',
          visuals: [{ type: 'IMAGE', src: '{{ photo.src }}' }],
        },
      ],
    },
  }
  t.deepEqual(fieldsOf(request), ['variables.photos[0].src', 'variables.photos[1].src'])
})

test('every path without a file is named in one error', (t) => {
  const request = {
    payload: {
      visuals: [
        { type: 'IMAGE', src: 'media/none.png' },
        { type: 'IMAGE', src: 'media' },
      ],
    },
  }
  const error = t.throws(() => fieldsOf(request), { instanceOf: Failure })
  t.deepEqual(
    error?.faults.map(({ field }) => field),
    ['visuals[0].src', 'visuals[1].src'],
  )
})

test('pointing replaces the paths in a copy', (t) => {
  const request = {
    variables: { hero: 'media/b.png' },
    payload: {
      visuals: [
        { type: 'IMAGE', src: 'media/a.png' },
        { type: 'IMAGE', src: '{{ hero }}' },
      ],
    },
  }
  const before = structuredClone(request)
  const pointed = pointTo(request, findLocalMedia(request, file), (_, index) => `http://x/${index}`)
  t.deepEqual(request, before)
  t.deepEqual(pointed, {
    variables: { hero: 'http://x/1' },
    payload: {
      visuals: [
        { type: 'IMAGE', src: 'http://x/0' },
        { type: 'IMAGE', src: '{{ hero }}' },
      ],
    },
  })
})
