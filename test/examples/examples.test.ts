import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { checkRequest } from '../../cli/render/check.ts'
import { findLocalMedia, pointTo } from '../../cli/render/local-media.ts'
import { readProjectFile } from '../../cli/render/project-file.ts'
import { largestPlan } from '../../core/accounts/plans.ts'
import { animationNames, captionAnimations } from '../../core/project/schema/names.ts'
import { projectFileSchema } from '../../examples/project-file-schema.ts'
import { examples, folder } from './example-files.ts'

const schema = JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8'))
const validate = new Ajv2020({ strict: false }).compile(schema)

test('there are films and stills', (t) => {
  const types = examples.map(({ file }) => readProjectFile(file).payload.type ?? 'video')
  t.deepEqual([...new Set(types)].toSorted(), ['image', 'video'])
})

test('one film shows every transition there is', (t) => {
  const { variables } = readProjectFile(join(folder, 'transitions', 'project.json')).payload as {
    variables: { shots: { name: string }[] }
  }
  const names = variables.shots.map(({ name }) => name)
  t.deepEqual(names.toSorted(), [...animationNames].toSorted())
})

test('the examples cover two formats and a clip with alpha', (t) => {
  const formats = examples.map(({ file }) => readProjectFile(file).payload.outputFormat)
  t.true(formats.includes('webm'))
  const confetti = readFileSync(join(folder, 'confetti', 'project.json'), 'utf8')
  t.regex(confetti, /"outputFormat": "webm"[\s\S]*confetti\.webm/)
})

for (const { name, file, variables } of examples) {
  const host = '127.0.0.1:80'

  test(`${name} is valid and holds nothing that is likely a mistake`, (t) => {
    const request = readProjectFile(file, variables)
    const media = findLocalMedia(request, file)
    const pointed = pointTo(request, media, (_, index) => `http://${host}/${index}`)
    const { warnings } = checkRequest(pointed, { plan: largestPlan, trustedHosts: [host] })
    t.deepEqual(warnings, [])
  })

  test(`${name} is valid for an editor that reads its $schema`, (t) => {
    const project = JSON.parse(readFileSync(file, 'utf8'))
    t.is(join(file, '..', project.$schema), join(folder, 'schema.json'))
    t.true(validate(project), JSON.stringify(validate.errors))
    t.false(validate({ ...project, colour: 'red' }))
  })
}

test('schema.json is what the language says today', (t) => {
  t.deepEqual(schema, JSON.parse(JSON.stringify(projectFileSchema())))
})

test('subtitles are shown in every mode', (t) => {
  const modes = examples.map(({ variables }) => variables.mode).filter((mode) => mode)
  t.deepEqual(modes.toSorted(), [...captionAnimations].toSorted())
})

test('all media of the examples together are under 3 MB', (t) => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const media = files.filter((file) => file.isFile() && file.parentPath.endsWith('/media'))
  const sizes = media.map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
  t.true(sizes.length >= 15)
  t.true(sizes.reduce((a, b) => a + b, 0) < 3_000_000)
})
