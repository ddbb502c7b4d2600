// What the form of Protect reads of a policy, and how problems of the text find their fields.
import type { Place } from '../../api/problem'
import type { Schema, Value } from '../../parts/schema'
import { isTable } from '../../policy/edit'
import { NotToml, pathAt, read, valueOf } from '../../policy/read'

export type Table = Record<string, Value>

/** Something that is wrong, at its place in the text. */
export interface Fault {
  message: string
  help?: string | undefined
  place?: Place | undefined
}

/** A text as the form sees it; nothing where it is no TOML. */
export function parsed(text: string): { policy: Table } | { fault: Fault } {
  try {
    return { policy: valueOf(read(text)) as Table }
  } catch (thrown) {
    if (!(thrown instanceof NotToml)) throw thrown
    return { fault: { message: thrown.message, help: 'mend this line, then the form follows the text again', place: thrown.place } }
  }
}

/** Faults by the names of their fields, such as `guarantee.k`. */
export function byField(text: string, faults: Fault[]): Record<string, string> {
  const found: Record<string, string> = {}
  const root = 'policy' in parsed(text) ? read(text) : undefined
  for (const fault of faults) {
    if (!root || !fault.place) continue
    const path = pathAt(root, text, fault.place)
    // The parts of a value in one line have no places: its name stands for them.
    if (path.length) found[path.join('.')] = [fault.message, fault.help].filter(Boolean).join('; ')
  }
  return found
}

/** What a fault is called below a path, whatever is inside of it. */
export function under(errors: Record<string, string>, path: string): string | undefined {
  return errors[path] ?? Object.entries(errors).find(([name]) => name.startsWith(`${path}.`))?.[1]
}

export const table = (value: Value | undefined): Table => (isTable(value) ? value : {})

/** `l`, `t` and the like: a number, or a table with `value`; several at once are for the text. */
export function simple(value: Value | undefined): { value: number | undefined; on: string[]; several: boolean } {
  if (typeof value === 'number') return { value, on: [], several: false }
  if (Array.isArray(value)) return { value: undefined, on: [], several: true }
  const of = table(value)
  return { value: typeof of['value'] === 'number' ? of['value'] : undefined, on: Array.isArray(of['on']) ? of['on'].map(String) : [], several: false }
}

/** The same with another number; what else was said of it stays. */
export function withNumber(of: Value | undefined, number: number | undefined, on: string | undefined): Value | undefined {
  if (number === undefined) return undefined
  if (isTable(of)) return { ...of, value: number }
  return on === undefined ? number : { value: number, on: [on] }
}

/** A table without one of its names. */
export function dropped(of: Table, name: string): Table {
  return Object.fromEntries(Object.entries(of).filter(([other]) => other !== name))
}

/** The schema without some properties. */
export function without(schema: Schema | undefined, names: string[]): Schema {
  const properties = Object.fromEntries(Object.entries(schema?.properties ?? {}).filter(([name]) => !names.includes(name)))
  return { ...schema, properties, required: (schema?.required ?? []).filter((name) => !names.includes(name)) }
}

/** The schema of a method. */
export function schemaOf(schema: Schema, method: string): Schema | undefined {
  const all = schema.properties?.['protect']?.items?.oneOf ?? []
  return all.find((one) => one.properties?.['method']?.const === method)
}

/** Roles as people know them: a letter and a word for each. */
export const ROLES: Record<string, { letter: string; what: string }> = {
  identifier: { letter: 'D', what: 'names a person; never released' },
  subject: { letter: 'U', what: 'tells whose row it is; k counts these' },
  quasi: { letter: 'Q', what: 'may be known to others; made coarser' },
  sensitive: { letter: 'S', what: 'what others must not learn' },
  items: { letter: 'I', what: 'sets of items of a person' },
  class: { letter: 'C', what: 'what learners predict' },
  time: { letter: 'T', what: 'when it happened' },
  key: { letter: 'K', what: 'joins rows of several files' },
  plain: { letter: 'P', what: 'released as it is' },
  drop: { letter: 'X', what: 'left out' },
}
