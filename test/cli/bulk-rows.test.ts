import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { fileNames } from '../../cli/bulk/files.ts'
import { failureLines, writeReport } from '../../cli/bulk/report.ts'
import { readRows } from '../../cli/bulk/rows.ts'
import { unusedColumns } from '../../cli/bulk/unused-columns.ts'
import { Failure } from '../../cli/failure.ts'
import { readProjectFile } from '../../cli/render/project-file.ts'
import { splitItems } from '../../core/bulks/batches.ts'
import { newFolder } from './run-farm.ts'

const folder = newFolder()
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const request = {
  payload: {
    variables: { code: 'A', price: 12.5, vip: true, tags: ['x'], who: { name: 'Ada', age: 36 } },
    scenes: [{ variables: { count: 3 } }],
  },
  variables: { size: 10 },
}

function rowsOf(csv: string | Buffer, encoding?: string) {
  const file = join(folder, 'rows.csv')
  writeFileSync(file, csv)
  return readRows(file, request, encoding).rows
}

function faultsOf(csv: string): string[] {
  try {
    rowsOf(csv)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.faults.map(({ field, message }) => `${field}: ${message}`)
  }
}

const variablesOf = (csv: string | Buffer) => rowsOf(csv).map(({ variables }) => variables)

test('a cell is text unless the project has something else there', (t) => {
  const csv = 'code,other,price,vip,count,size\n007,1e5,007,FALSE,4, 12 \ntrue,[1],-1.5,true,,\n'
  t.deepEqual(variablesOf(csv), [
    { code: '007', other: '1e5', price: 7, vip: false, count: 4, size: 12 },
    { code: 'true', other: '[1]', price: -1.5, vip: true },
  ])
})

test('an empty cell empties a text, but keeps numbers, flags and lists', (t) => {
  t.deepEqual(variablesOf('code,name,price,vip,tags\n,x,,,\n'), [{ code: '', name: 'x' }])
})

test('empty rows of any length are left out and keep their number', (t) => {
  const file = join(folder, 'empty.csv')
  writeFileSync(file, 'name,code,other\r\na,X,1\r\n,,\r\n , ,\r\nb,Y,2\r\n,,,,\r\n')
  const { rows, empty } = readRows(file, request)
  t.deepEqual(
    rows.map(({ number, name }) => [number, name]),
    [
      [2, 'a'],
      [5, 'b'],
    ],
  )
  t.deepEqual(empty, [3, 4, 6])
  writeFileSync(file, 'name,code\n,\n')
  t.throws(() => readRows(file, request), { message: /at least one row of values/ })
})

test('blank lines count as rows, and are left out unsaid', (t) => {
  for (const end of ['\n', '\r\n']) {
    const file = join(folder, 'blank.csv')
    const lines = ['', 'name;code', '', 'a;"X', '', 'Y"', '', '', ';', 'b;Z', '', '']
    writeFileSync(file, lines.join(end))
    const { rows, empty, columns } = readRows(file, request)
    t.deepEqual(columns, ['name', 'code'])
    t.deepEqual(
      rows.map(({ number, name }) => [number, name]),
      [
        [4, 'a'],
        [8, 'b'],
      ],
    )
    t.deepEqual(empty, [7])
  }
})

test('faults after blank lines name the row that a spreadsheet shows', (t) => {
  t.deepEqual(faultsOf('price\n\n1\n\n\nx\n'), [
    'row 6: price must be a number, as in the project. Got "x"',
  ])
  t.deepEqual(faultsOf('\n\ncode,other\n\na\n'), [
    'row 5: a row must have as many cells as row 3, which has 2. Got 1',
  ])
  t.deepEqual(faultsOf('\ncode,code\na,b\n'), [
    'row 2: each column must have a name of its own. Got "code" twice',
  ])
})

test('a row of another length is named with both cell counts', (t) => {
  t.deepEqual(faultsOf('code,other\na,b\na\na,b,c\n'), [
    'row 3: a row must have as many cells as row 1, which has 2. Got 1',
    'row 4: a row must have as many cells as row 1, which has 2. Got 3. Put quotes around a cell with the delimiter',
  ])
})

test('a workbook or HTML page named .csv is called what it is', (t) => {
  t.throws(() => rowsOf(Buffer.from('PK\x03\x04\x14\x00\xff', 'latin1')), {
    message: /Got a ZIP archive/,
  })
  t.throws(() => rowsOf(Buffer.from('d0cf11e0a1b11ae1', 'hex')), {
    message: /Got an old Office file/,
  })
  for (const page of ['<!DOCTYPE html><p>', '\ufeff\n<html lang="en">']) {
    t.throws(() => rowsOf(page), { message: /Got an HTML page/ })
  }
})

test('a dotted column changes only a part of the project’s own value', (t) => {
  t.deepEqual(variablesOf('who.name,who.age,new.deep.key,tags.0\nBob,40,v,y\n,,,z'), [
    { who: { name: 'Bob', age: 40 }, new: { deep: { key: 'v' } }, tags: ['y'] },
    { who: { name: '', age: 36 }, new: { deep: { key: '' } }, tags: ['z'] },
  ])
  t.is(request.payload.variables.who.name, 'Ada')
})

test('lists and objects are JSON', (t) => {
  t.deepEqual(variablesOf('tags,who\n"[""a"",2]","{""name"": ""C""}"\n'), [
    { tags: ['a', 2], who: { name: 'C' } },
  ])
})

test('the column name names the row; rows count as in a spreadsheet', (t) => {
  const rows = rowsOf('name,code\n Ada ,x\n,y\n')
  t.deepEqual(
    rows.map(({ number, name }) => [number, name]),
    [
      [2, 'Ada'],
      [3, undefined],
    ],
  )
})

test('quotes, line ends, a byte order mark and semicolons are read', (t) => {
  const expected = [{ code: 'a, "b"\nc', other: 'ü' }]
  t.deepEqual(variablesOf('\ufeffcode,other\r\n"a, ""b""\nc",ü\r\n\r\n'), expected)
  t.deepEqual(variablesOf('code;other\n"a, ""b""\nc";ü\n'), expected)
  t.deepEqual(variablesOf('code\tother\n"a, ""b""\nc"\tü\n'), expected)
})

const table = 'code;other\r\nCafé;Łódź\r\n'
const expectedTable = [{ code: 'Café', other: 'Łódź' }]

for (const order of ['little', 'big'] as const) {
  for (const mark of ['\ufeff', '']) {
    const name = `UTF-16, ${order} end first, ${mark ? 'with' : 'without'} its mark`
    test(`a CSV in ${name} is read as that`, (t) => {
      const bytes = Buffer.from(mark + table, 'utf16le')
      t.deepEqual(variablesOf(order === 'little' ? bytes : bytes.swap16()), expectedTable)
    })
  }
}

test('Excel’s "Unicode text", which is UTF-16 with tabs, is read', (t) => {
  const bytes = Buffer.from(`\ufeff${table.replaceAll(';', '\t')}`, 'utf16le')
  t.deepEqual(variablesOf(bytes), expectedTable)
})

test('a first line `sep=` names the separator and is no row', (t) => {
  for (const mark of ['', '\ufeff']) {
    t.deepEqual(variablesOf(`${mark}sep=;\r\n${table}`), expectedTable)
    t.deepEqual(variablesOf(`${mark}sep=|\n${table.replaceAll(';', '|')}`), expectedTable)
  }
  t.is(rowsOf(`sep=;\n${table}`)[0]?.number, 2)
})

test('a CSV in another encoding is refused by line unless named', (t) => {
  const western = Buffer.from('code,other\nPlain,x\nCaf\xe9 noir,y\n', 'latin1')
  const message =
    /UTF-8 or UTF-16\. Got the byte 0xE9 in line 3, which Windows-1252 reads as "Café"/
  t.throws(() => rowsOf(western), { instanceOf: Failure, message })
  t.is(rowsOf(western, 'windows-1252')[1]?.variables.code, 'Café noir')
  const polish = Buffer.from('code,other\n\xa3\xf3d\x9f,y\n', 'latin1')
  t.throws(() => rowsOf(polish), { instanceOf: Failure, message: /byte 0xA3 in line 2/ })
  t.is(rowsOf(polish, 'windows-1250')[0]?.variables.code, 'Łódź')
  const japanese = Buffer.from('code,other\n\x93\xfa\x96\x7b,y\n', 'latin1')
  t.throws(() => rowsOf(japanese), { instanceOf: Failure, message: /byte 0x93 in line 2/ })
  t.is(rowsOf(japanese, 'shift_jis')[0]?.variables.code, '日本')
  const utf32 = Buffer.from('\xff\xfe\x00\x00c\x00\x00\x00', 'latin1')
  t.throws(() => rowsOf(utf32), { instanceOf: Failure, message: /Got UTF-32/ })
  t.throws(() => rowsOf(western, 'utf-16be'), { instanceOf: Failure })
  t.throws(() => rowsOf(western, 'utf-8'), { message: /must be text in utf-8. Got bytes/ })
  const utf8 = 'code,other\nCafé,y\n'
  t.throws(() => rowsOf(utf8, 'windows-1252'), { message: /in windows-1252. Got UTF-8/ })
  t.is(rowsOf(utf8, 'utf-8')[0]?.variables.code, 'Café')
})

test('a CSV that lost characters before it was saved is refused', (t) => {
  const message = /Got the replacement character U\+FFFD in line 2: "code,other Caf\ufffd,y "/
  t.throws(() => rowsOf('code,other\nCaf\ufffd,y\n'), { instanceOf: Failure, message })
})

test('a project file may be UTF-16, or UTF-8 with a BOM', (t) => {
  const file = join(folder, 'project.json')
  const project = '\ufeff{"name": "Łódź"}'
  for (const bytes of [Buffer.from(project), Buffer.from(project, 'utf16le')]) {
    writeFileSync(file, bytes)
    t.deepEqual(readProjectFile(file), { payload: { name: 'Łódź' } })
  }
  writeFileSync(file, Buffer.from('{"name": "Caf\xe9"}', 'latin1'))
  t.throws(() => readProjectFile(file), { instanceOf: Failure, message: /"Café/ })
})

test('every cell and column that cannot be used is named', (t) => {
  t.deepEqual(faultsOf('price,vip,tags,who,code.x\n1,yes,{},[],a\n12 €,true,[,{},b\n'), [
    'row 2: vip must be true or false, as in the project. Got "yes"',
    'row 2: tags must be a JSON array, as in the project. Got "{}"',
    'row 2: who must be a JSON object, as in the project. Got "[]"',
    'row 2: code.x must name a part of an object or an array, but code is neither. Got "a"',
    'row 3: price must be a number, as in the project. Got "12 €"',
    'row 3: tags must be a JSON array, as in the project. Got "["',
    'row 3: code.x must name a part of an object or an array, but code is neither. Got "b"',
  ])
  t.deepEqual(faultsOf('first name,__proto__.x,a,a\n1,2,3,4\n'), [
    'row 1: a column must be named like a variable, such as price or person.name. Got "first name"',
    'row 1: a column must be named like a variable, such as price or person.name. Got "__proto__.x"',
    'row 1: each column must have a name of its own. Got "a" twice',
  ])
  t.is(({} as Record<string, unknown>).x, undefined)
  t.throws(() => rowsOf('code\n'), {
    message: /must have a row of names and at least one row of values/,
  })
  t.throws(() => rowsOf('code,price\n1\n'), { message: /cannot be used/ })
  t.throws(() => readRows(join(folder, 'none.csv'), request), { message: /there is no such file/ })
})

test('files are named after their rows, in any script, all different', (t) => {
  const names = [
    'Zoë O’Hara',
    '../../etc/passwd',
    'ada',
    'Ada',
    '周杰伦',
    'results',
    '...',
    undefined,
  ]
  const rows = names.map((name, i) => ({ number: i + 2, name, variables: {} }))
  t.deepEqual(fileNames(rows), [
    ...['Zoë-O-Hara', 'etc-passwd', 'ada', 'Ada-2', '周杰伦', 'results-2', 'row-8', 'row-9'],
  ])
  t.deepEqual(fileNames([{ number: 2, name: undefined, variables: {} }]), ['row-2'])
})

test('rows go in as few requests as plan and body length allow', (t) => {
  const entries = (lengths: number[]) =>
    lengths.map((length) => ({ item: { variables: { text: 'x'.repeat(length) } } }))
  const sizes = (lengths: number[], limit: number) =>
    splitItems(entries(lengths), { request, limit }).map((batch) => batch.length)
  t.deepEqual(sizes(Array(120).fill(10), 50), [50, 50, 20])
  t.deepEqual(sizes([900_000, 900_000, 900_000, 10], 50), [2, 2])
  t.deepEqual(sizes([], 50), [])
})

test('twenty rows without a file are listed, the rest counted', (t) => {
  const ends = Array.from({ length: 25 }, (_, i) => ({
    row: { number: i + 2, name: i === 0 ? 'Ada' : undefined, variables: {} },
    ...{ state: 'failed', file: i === 24 ? 'x.png' : undefined, jobId: null, duration: null },
    ...{ size: null, creditsCharged: 0, error: i === 1 ? null : 'It broke.' },
  }))
  const lines = failureLines(ends, 'results.csv')
  t.is(lines.length, 21)
  t.deepEqual(lines.slice(0, 2), ['  row 2 (Ada): It broke.', '  row 3: failed'])
  t.is(lines.at(-1), '  and 4 more, in results.csv')
})

test('the report lists each row’s end as CSV or JSON', (t) => {
  const end = { jobId: null, duration: null, size: null, creditsCharged: 0, error: null }
  const rows = [
    { row: { number: 2, name: '=A', variables: {} }, state: 'completed', file: 'A.png', ...end },
    {
      row: { number: 3, name: undefined, variables: {} },
      state: 'failed',
      file: undefined,
      ...end,
    },
  ]
  const read = (format: 'csv' | 'json') => readFileSync(writeReport(folder, rows, format), 'utf8')
  t.regex(
    read('csv'),
    /^"row","name","state","file",.*\n2,"'=A","completed","A\.png",.*\n3,,"failed",,/,
  )
  t.deepEqual(JSON.parse(read('json')), [
    { row: 2, name: '=A', state: 'completed', file: 'A.png', ...end },
    { row: 3, name: null, state: 'failed', file: null, ...end },
  ])
})

test('unused columns are reported with the name that was probably meant', (t) => {
  const visuals = [{ type: 'TEXT', html: '{{ who.name }} {{ title }} {{ price }}' }]
  const project = { payload: { visuals, variables: { title: 'x', price: 1, sub: 'y' } } }
  const unusedOf = (csv: string) => {
    const file = join(folder, 'unused.csv')
    writeFileSync(file, csv)
    return unusedColumns(readRows(file, project), project).map(
      ({ field, message }) => `${field}: ${message}`,
    )
  }
  t.deepEqual(unusedOf('name,who.name,title\nada,Ada,Dr\n'), [])
  t.deepEqual(unusedOf('who.name,titel,typo\nAda,Dr,x\n'), [
    'titel: The project does not use the variable "titel". Did you mean "title"?',
    'typo: The project does not use the variable "typo".',
  ])
  t.deepEqual(unusedOf('who.nmae\nAda\n'), [
    'who.nmae: The project does not use the variable "who.nmae". Did you mean "who.name"?',
  ])
  t.deepEqual(unusedOf('title,extra\nDr,x\n{{ extra }},y\n'), [], 'one row reads it')
})
