import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { explainFrame } from '../../cli/explain/explain-frame.ts'
import { inOrder, validateProjectFile } from '../../cli/render/validate-file.ts'
import { timelineOf } from '../../core/plan/outline.ts'
import { describeFrame } from '../../core/timeline/frame.ts'

const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'media'))
writeFileSync(join(folder, 'media', 'photo.jpg'), 'not looked at')
const file = join(folder, 'project.json')
const project = {
  ...{ duration: 2, frameRate: 10, width: 320, height: 180, backgroundColor: '#102030' },
  visuals: [
    { type: 'IMAGE', src: 'media/photo.jpg', position: 'center-center' },
    { type: 'TEXT', text: 'late', x: 20, y: 30, enterBegin: 1, track: 1 },
  ],
}
writeFileSync(file, JSON.stringify(project))

test('a frame of a project names files by path, texts by field', (t) => {
  const early = explainFrame({ file }, 9)
  t.like(early, { frame: 9, second: 0.9, measured: false, width: 320, height: 180 })
  t.deepEqual(early.commands[0], { op: 'fill', rect: [0, 0, 320, 180], color: '#102030' })
  t.regex(JSON.stringify(early), /"digest":"media\/photo\.jpg"/)
  t.notRegex(JSON.stringify(early), /visuals\[1\]/)
  t.regex(JSON.stringify(explainFrame({ file }, 10)), /"digest":"visuals\[1\]"/)
})

test('a frame of a plan is what the node paints', (t) => {
  const validated = validateProjectFile({ file })
  const timeline = timelineOf(inOrder(validated, { file }).project, () => 'a'.repeat(64))
  const plan = join(folder, 'plan.json')
  writeFileSync(plan, JSON.stringify({ engine: '11', timeline }))
  const explained = explainFrame({ file: plan }, 12)
  t.like(explained, { frame: 12, second: 1.2, measured: true })
  t.like(explained, describeFrame(timeline, 12))
})

test('a frame that the film does not have is refused', (t) => {
  t.throws(() => explainFrame({ file }, 20), { message: /must be less than 20/ })
})
