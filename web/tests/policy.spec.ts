// The text of a policy under the changes of a form, by itself.
import { expect, test } from '@playwright/test'
import { edit, type Path } from '../src/policy/edit'
import { NotToml, pathAt, read, valueOf } from '../src/policy/read'
import type { Value } from '../src/parts/schema'

const TEXT = `# Admissions, for a board.
version = 1
name = "admissions"

[columns]
age       = { role = "quasi" }              # intervals
zip       = { role = "quasi", hierarchy = { mask = "right" } }
"a b".role = "plain"

[guarantee]
k = 5                                       # persons
l = { value = 3, on = ["diagnosis"] }

# The one that loses least.
[[protect]]
method = "mondrian" # of all

[measure]
fail_above = { gcp = 0.5 }
`

/** What a change takes out of the text and puts into it. */
function difference(path: Path, value: Value | undefined, text = TEXT): [string[], string[]] {
  const [before, after] = [text.split('\n'), edit(text, path, value).split('\n')]
  return [before.filter((line) => !after.includes(line)), after.filter((line) => !before.includes(line))]
}

test('a change leaves the rest of a text as it is', () => {
  const cases: [Path, Value | undefined, string[], string[]][] = [
    [['guarantee', 'k'], 25, ['k = 5                                       # persons'], ['k = 25                                      # persons']],
    [['guarantee', 'k'], 5, [], []],
    [['guarantee', 'k'], undefined, ['k = 5                                       # persons'], []],
    [['guarantee', 't'], { value: 0.3 }, [], ['t = { value = 0.3 }']],
    [['guarantee', 'l', 'value'], 2, ['l = { value = 3, on = ["diagnosis"] }'], ['l = { value = 2, on = ["diagnosis"] }']],
    [['columns', 'age', 'role'], 'plain', ['age       = { role = "quasi" }              # intervals'], ['age       = { role = "plain" }              # intervals']],
    [['columns', 'zip', 'hierarchy', 'mask'], 'left', ['zip       = { role = "quasi", hierarchy = { mask = "right" } }'], ['zip       = { role = "quasi", hierarchy = { mask = "left" } }']],
    [['columns', 'a b', 'role'], 'drop', ['"a b".role = "plain"'], ['"a b".role = "drop"']],
    [['columns', 'cost'], { role: 'plain' }, [], ['cost = { role = "plain" }']],
    [['protect', 0, 'method'], 'lattice', ['method = "mondrian" # of all'], ['method = "lattice" # of all']],
    [['protect', 0], { method: 'lattice', suppress: 0.1 }, ['method = "mondrian" # of all'], ['method = "lattice" # of all', 'suppress = 0.1']],
    [['measure'], undefined, ['[measure]', 'fail_above = { gcp = 0.5 }'], []],
    [['seed'], 7, [], ['seed = 7']],
  ]
  for (const [path, value, gone, come] of cases) {
    expect(difference(path, value), path.join('.')).toEqual([gone, come])
    const after = valueOf(read(edit(TEXT, path, value)))
    const found = path.reduce<Value | undefined>((of, key) => (of as Record<string, Value> | undefined)?.[key as string], after)
    expect(found, path.join('.')).toEqual(value)
  }
})

test('sections find their place', () => {
  const levels = edit(TEXT, ['levels'], { '2': { k: 5 }, ward: { k: 25 } })
  expect(levels).toContain('on = ["diagnosis"] }\n\n[levels]\n2 = { k = 5 }\nward = { k = 25 }\n\n# The one that loses least.\n[[protect]]')
  expect(edit(levels, ['levels'], undefined)).toBe(TEXT)
  const two = edit(TEXT, ['protect'], [{ method: 'recoding' }, { method: 'mondrian' }])
  expect(valueOf(read(two))).toMatchObject({ protect: [{ method: 'recoding' }, { method: 'mondrian' }] })
  expect(edit(two, ['protect'], [{ method: 'mondrian' }])).toBe(TEXT)
  expect(edit('', ['guarantee', 'k'], 5)).toBe('[guarantee]\nk = 5\n')
  expect(edit('version = 1\n[columns.age]\nrole = "quasi"\n', ['columns', 'zip', 'role'], 'plain')).toContain('\n[columns]\nzip = { role = "plain" }\n')
})

test('all of TOML is read, and what is none is told with its place', () => {
  const text = 'a.b = 1_000\n[t]\n"q" = \'x\\y\' # c\nm = """\none\\\n  two"""\nf = -1.5e3\nd = 2024-05-06T07:08:09Z\nl = [1, [2], # c\n  {x = true}]\n[[s]]\n[[s]]\nz = "\\u00e9\\n"\n[s.in]\ny = 0x1F\n'
  expect(valueOf(read(text))).toEqual({
    a: { b: 1000 },
    t: { q: 'x\\y', m: 'onetwo', f: -1500, d: '2024-05-06T07:08:09Z', l: [1, [2], { x: true }] },
    s: [{}, { z: 'é\n', in: { y: 31 } }],
  })
  for (const [wrong, line, column] of [['a = 1\nb = ', 2, 5], ['a = "x', 1, 5], ['[a\n', 1, 3], ['a = 1\na = 2', 2, 1], ['é = 1', 1, 1]] as const) {
    let thrown: unknown
    try {
      read(wrong)
    } catch (problem) {
      thrown = problem
    }
    expect(thrown, wrong).toBeInstanceOf(NotToml)
    expect((thrown as NotToml).place, wrong).toEqual({ line, column })
  }
})

test('a place in the text leads to the field of the form', () => {
  const root = read(TEXT)
  expect(pathAt(root, TEXT, { line: 11, column: 5 })).toEqual(['guarantee', 'k'])
  expect(pathAt(root, TEXT, { line: 16, column: 11 })).toEqual(['protect', 0, 'method'])
  expect(pathAt(root, TEXT, { line: 8, column: 2 })).toEqual(['columns', 'a b', 'role'])
  expect(pathAt(root, TEXT, { line: 1, column: 1 })).toEqual([])
})
