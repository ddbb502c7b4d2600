// What the pages of data and hierarchies compute, by itself; labels are those of the library's own tests.
import { expect, test } from '@playwright/test'
import type { Profile } from '../src/api/results'
import { columnsOf, naming } from '../src/pages/data/header'
import { firstPolicy, withHierarchy } from '../src/pages/data/policy'
import { faults, format, parse } from '../src/pages/hierarchies/arx'
import { labels, wrongWith } from '../src/pages/hierarchies/rules'
import * as tree from '../src/pages/hierarchies/tree'

const EDUCATION = ['none;no degree;*', 'primary;no degree;*', 'secondary;school;*', 'master;university;*']
const rows = (lines: string[]) => lines.map((line) => line.split(';'))
const written = (of: string[][]) => of.map((row) => row.join(';'))
function node(of: string[][], label: string): tree.Node {
  const look = (at: tree.Node): tree.Node | undefined => (at.label === label ? at : at.children.map(look).find(Boolean))
  const root = tree.treeOf(of)
  const found = root && look(root)
  if (!found) throw new Error(`there is no ${label}`)
  return found
}

test('rows of ARX are read as they are written', () => {
  for (const [text, expected] of [
    ['a;x;*\nb;x;*\n', [['a', 'x', '*'], ['b', 'x', '*']]],
    ['\ufeffa,x\r\n\r\nb,x', [['a', 'x'], ['b', 'x']]],
    ['"a;b"\tx\n', [['a;b', 'x']]],
    ['"a ""b""",x\n', [['a "b"', 'x']]],
    ['"two\nlines";x\nc;x\n', [['two\nlines', 'x'], ['c', 'x']]],
  ] as const) {
    expect(parse(text).rows).toEqual(expected)
    expect(parse(format(parse(text).rows)).rows).toEqual(expected)
  }
  expect(parse('"two\nlines";x\nc;x\n').lines).toEqual([1, 3])
})

test('what is no tree is told with its line', () => {
  for (const [text, line, said] of [
    ['a;x;*\nb;*\n', 2, 'the row has 2 labels, the first one 3'],
    ['a;x\na;x\n', 2, 'the value stands there twice'],
    ['a;;*\n', 1, 'a label is empty'],
    ['a;x;p\nb;x;q\n', 2, '“x” has a second parent here'],
    ['a;b;a\n', 1, 'is above itself'],
    ['', undefined, 'there is no row'],
  ] as const) {
    const [first] = faults(parse(text))
    expect(first?.message, text).toContain(said)
    if (line !== undefined) expect(first?.place?.line, text).toBe(line)
  }
  expect(faults(parse(EDUCATION.join('\n')))).toEqual([])
  expect(faults(parse('a;a;x;*\nb;x;x;*\n')), 'a label may repeat itself').toEqual([])
})

test('moves, groups and new values keep a tree', () => {
  const all = rows(EDUCATION)
  expect(written(tree.move(all, node(all, 'master'), node(all, 'school')))).toEqual(['none;no degree;*', 'primary;no degree;*', 'secondary;school;*', 'master;school;*'])
  expect(written(tree.move(all, node(all, 'master'), node(all, 'none'))), 'beside a value').toContain('master;no degree;*')
  expect(written(tree.put(all, ['bachelor', 'doctorate'], node(all, 'university')))).toEqual([...EDUCATION, 'bachelor;university;*', 'doctorate;university;*'])
  expect(written(tree.put(all, ['other'], node(all, '*')))).toContain('other;other;*')
  expect(written(tree.rename(all, node(all, 'school'), 'schools'))).toContain('secondary;schools;*')
  const grouped = tree.group(all, node(all, 'school'), 'taught')
  expect(written(grouped)).toEqual(['none;no degree;no degree;*', 'primary;no degree;no degree;*', 'secondary;school;taught;*', 'master;university;university;*'])
  const joined = tree.move(grouped, node(grouped, 'university'), node(grouped, 'taught'))
  expect(written(joined)).toContain('master;university;taught;*')
  expect(written(tree.dissolve(grouped, node(grouped, 'taught')))).toEqual(EDUCATION)
  for (const next of [grouped, joined]) expect(faults(parse(format(next)))).toEqual([])
  expect(tree.topped(rows(['a;x', 'b;y']))).toEqual(rows(['a;x;*', 'b;y;*']))
  expect(tree.topped(all)).toBe(all)
  expect(node(all, 'no degree').leaves).toEqual(['none', 'primary'])
})

test('rules make the labels of the library', () => {
  expect(labels({ kind: 'intervals', widths: [5, 10, 20] }, ['34', '-3'])).toEqual([['30..34', '30..39', '20..39'], ['-5..-1', '-10..-1', '-20..-1']])
  expect(labels({ kind: 'intervals', widths: [0.5] }, ['0.7'])).toEqual([['[0.5, 1)']])
  expect(labels({ kind: 'intervals', widths: [1] }, ['7'])).toEqual([['7']])
  expect(labels({ kind: 'mask', side: 'right' }, ['4041', '40'])).toEqual([['404*', '40**', '4***'], ['4*', '*', '*']])
  expect(labels({ kind: 'mask', side: 'left' }, ['4041'])).toEqual([['*041', '**41', '***1']])
  expect(labels({ kind: 'dates', units: ['month', 'quarter', 'year', 'decade'] }, ['2024-03-07'])).toEqual([['2024-03', '2024-Q1', '2024', '2020s']])
  expect(labels({ kind: 'path', separator: '/' }, ['a/b/c', 'a'])).toEqual([['a/b', 'a'], ['a', 'a']])
  expect(labels({ kind: 'grid', sizes: [100, 1000] }, ['0.0005, -0.0005', '0.005, 0.01', '0, 0'])).toEqual([['100m:0:-1', '1000m:0:-1'], ['100m:5:11', '1000m:0:1'], ['100m:0:0', '1000m:0:0']])
  for (const widths of [[], [0], [5, 12], [NaN]]) expect(wrongWith({ kind: 'intervals', widths })).toBeTruthy()
  expect(wrongWith({ kind: 'intervals', widths: [0.1, 0.3] })).toBeUndefined()
})

test('a first policy follows the roles that were chosen', () => {
  const column = (name: string, role: string) => ({ name, role, why: `the name says \`${name}\``, kind: null, distinct: null, missing: null, alone: null, rare: null, values: [] })
  const policy = `version = 1\n\n[source]\n\n[columns]\nage  = { role = "quasi", hierarchy = { intervals = [5] } } # the name says \`age\`\n"a b" = { role = "plain" } # the name says \`a b\`\n\n[guarantee]\nk = 5  # persons\n\n[[protect]]\nmethod = "mondrian"\n\n[sink]\n`
  const profile: Profile = { rows: 100, persons: null, columns: [column('age', 'quasi'), column('a b', 'plain')], column_sets: [], notes: [], policy }
  const first = firstPolicy(profile, { age: 'sensitive' }, 9)
  expect(first).not.toMatch(/\[(source|sink)\]/)
  expect(first).toMatch(/^age +=.*role = "sensitive" \} +# chosen by hand$/m)
  expect(first).toMatch(/^k = 9 /m)
  expect(first).toMatch(/^l = \{ value = 2, on = \["age"\] \}$/m)
  expect(first).toContain('# the name says `a b`')
  expect(firstPolicy(profile, {}, 5)).not.toContain('l = ')
  expect(withHierarchy(policy, 'a b', { mask: 'left' })).toMatch(/^"a b" = \{ role = "plain", type = "category", hierarchy = \{ mask = "left" \} \}/m)
  expect(withHierarchy(policy, 'age', { intervals: [10, 20] })).toMatch(/hierarchy = \{ intervals = \[10, 20\] \} \} # the name/)
  expect(withHierarchy(policy, 'nobody', { mask: 'left' })).toBeUndefined()
})

test('columns that name persons are found in the first line', async () => {
  const file = (name: string, text: string) => Object.assign(new Blob([text]), { name })
  expect(await columnsOf(file('a.csv', '\ufeff"name, full";age\r\n1;2\n'))).toEqual(['name, full', 'age'])
  expect(await columnsOf(file('a.parquet', 'name,age\n'))).toEqual([])
  expect(naming(['name', 'full_name', 'Last Name', 'e-mail', 'home address', 'ward name', 'age', 'a very long name of a column', 'emailed'])).toEqual(['name', 'full_name', 'Last Name', 'e-mail', 'home address'])
})
