import test from 'ava'
import { bundledFamilies } from '../../../core/looks/families.ts'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import { typeset } from '../../../core/project/lint/typeset.ts'
import { projectOf, textOf } from '../../core/project-of.ts'
import { bakeOne, bakerFor, never } from './baking.ts'

const baker = bakerFor(test)

/** Families of one other script, or of pictures: the guesses are about Latin letters. */
const otherScripts = /Noto Sans .|Emoji/

const sentence = 'The quiet of sand, and 24 other New Stories'
const project = projectOf({ width: 4000, height: 400 })

test('guessed line widths are near the browser’s, in every family', async (t) => {
  const families = bundledFamilies.filter((family) => !otherScripts.test(family))
  const texts = families.map((fontFamily) =>
    textOf({ html: sentence, style: { fontFamily, fontSize: 60, whiteSpace: 'nowrap' } }),
  )
  const pictures = await baker().bake(bakeNeeds({ ...project, visuals: texts }), never)
  t.true(families.length > 30)
  for (const [i, family] of families.entries()) {
    const text = texts[i]
    const guessed = text ? typeset(text, project).width : 0
    const share = guessed / (pictures[i]?.width ?? 0)
    t.true(share > 0.85 && share < 1.15, `${family}: ${share.toFixed(2)} of its width`)
  }
})

test('the lints find lines where browsers paint them: blocks, paddings, alignment, rows', async (t) => {
  const cases = [
    'one<br>two<br>three',
    '<div style="padding:40px 60px;line-height:2">Padded words</div>',
    '<div style="width:600px;text-align:center">Centred</div>',
    '<div style="width:600px;text-align:right">To the right</div>',
    '<div style="width:360px;font-size:30px;line-height:1.4">Some words that go on for longer than one line of theirs can hold</div>',
    '<p>A paragraph</p><p>and another</p>',
    '<div style="display:flex;width:800px;justify-content:space-between;align-items:center;height:200px"><b>Left</b><span>Right</span></div>',
    '<div style="display:flex;flex-direction:column;gap:30px;align-items:center;width:700px"><div>One above</div><div>another of more words</div></div>',
    '<div style="margin:50px 0 0 120px">Pushed</div>',
  ]
  for (const html of cases) {
    const text = textOf({ html })
    const [document] = bakeNeeds({ ...project, visuals: [text] })
    if (!document) throw new Error('A text needs a bake')
    const { inkX, inkY, inkWidth, inkHeight, ...picture } = await bakeOne(baker(), document)
    const { lines, width, height } = typeset(text, project)
    const left = Math.min(...lines.map(({ rect }) => rect[0]))
    const right = Math.max(...lines.map(({ rect }) => rect[0] + rect[2]))
    const top = Math.min(...lines.map(({ rect }) => rect[1]))
    const bottom = Math.max(...lines.map(({ rect }) => rect[1] + rect[3]))
    const guessed = { left, right, top, bottom, width, height }
    const painted = {
      ...{ left: inkX, right: inkX + inkWidth, top: inkY, bottom: inkY + inkHeight },
      ...{ width: picture.width, height: picture.height },
    }
    for (const edge of Object.keys(guessed) as (keyof typeof guessed)[]) {
      const off = Math.abs(guessed[edge] - painted[edge])
      t.true(off < 50, `${edge} of ${html}: ${guessed[edge]} for ${painted[edge]}`)
    }
  }
})
