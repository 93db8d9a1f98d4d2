import test from 'ava'
import { paintedFamily, substituteName } from '../../../core/looks/families.ts'
import { familyChain } from '../../../core/looks/family-chain.ts'

test('familiar families are painted as their metric twins, all others as Poppins', (t) => {
  const painted: Record<string, string> = {
    Arial: 'Arimo',
    HELVETICA: 'Arimo',
    '"Helvetica Neue", Helvetica': 'Arimo',
    Georgia: 'Gelasio',
    '"Times New Roman"': 'Tinos',
    Times: 'Tinos',
    "'Courier New'": 'Cousine',
    courier: 'Cousine',
    Verdana: 'Poppins',
    '"Arial Black"': 'Poppins',
    Papyrus: 'Poppins',
    'Papyrus, Georgia': 'Gelasio',
    'Sora, Arial': 'Sora',
    constructor: 'Poppins',
  }
  for (const [asked, family] of Object.entries(painted))
    t.is(paintedFamily(asked) as string, family, asked)
})

test('the generic names stand for what browsers have for them', (t) => {
  t.is(paintedFamily('sans-serif'), 'Arimo')
  t.is(paintedFamily('serif'), 'Tinos')
  t.is(paintedFamily('monospace'), 'Cousine')
  t.is(paintedFamily('"serif"'), 'Poppins')
})

test('a substitute font is reported only where it paints most text', (t) => {
  t.is(substituteName('Papyrus, Arial, serif'), 'Arial')
  t.is(substituteName('Sora, Arial'), undefined)
  t.is(substituteName('sans-serif'), undefined)
})

test('the chain names the substitute, so no machine paints its own font', (t) => {
  const { css, foreign, substituted } = familyChain('Arial, sans-serif', 'x')
  t.regex(css, /^"Arimo", "Poppins"/)
  t.deepEqual([foreign, substituted], [[], 'Arial'])
})
