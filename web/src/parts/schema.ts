// JSON Schema as a form sees it: only what the schema of a policy uses.

export interface Schema {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean'
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  enum?: (string | number)[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  pattern?: string
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value }

/** How a schema is asked for. */
export type Kind = 'choice' | 'number' | 'text' | 'yes' | 'list' | 'object' | 'table' | 'variants'

export function kindOf(schema: Schema): Kind {
  const variants = variantsOf(schema)
  if (variants.length > 1) return 'variants'
  if (schema.enum) return 'choice'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'yes'
  if (schema.type === 'array') return 'list'
  if (schema.properties) return 'object'
  if (schema.type === 'object') return 'table'
  return 'text'
}

/** Forms that a value can have. What only says which properties go together is no form. */
export function variantsOf(schema: Schema): Schema[] {
  const all = schema.anyOf ?? schema.oneOf ?? []
  const typed = all.filter((one) => one.type || one.enum || one.const !== undefined || one.anyOf)
  return typed.map((one) => (one.const === undefined ? one : { ...one, enum: [one.const as string] }))
}

/** What a form is called where there are several. */
export function nameOf(schema: Schema): string {
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.length}`
  const names = { integer: 'a whole number', number: 'a number', string: 'a text', boolean: 'yes or no', array: 'a list', object: 'a table' }
  return schema.title ?? (schema.type ? names[schema.type] : 'another')
}

/** Whether a value can be of a schema, by its type alone. */
export function fits(schema: Schema, value: Value | undefined): boolean {
  if (value === undefined || value === null) return false
  const variants = variantsOf(schema)
  if (variants.length > 1) return variants.some((one) => fits(one, value))
  if (schema.enum) return schema.enum.includes(value as string | number)
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
    default:
      return typeof value === schema.type
  }
}

/** A value to begin with. */
export function initial(schema: Schema): Value {
  if (schema.default !== undefined && fits(schema, schema.default as Value)) return schema.default as Value
  if (schema.enum) return schema.enum[0] ?? ''
  const example = schema.examples?.[0]
  if (example !== undefined && fits(schema, example as Value)) return example as Value
  switch (kindOf(schema)) {
    case 'variants':
      return initial(variantsOf(schema)[0] ?? {})
    case 'number':
      return schema.minimum ?? 0
    case 'yes':
      return false
    case 'list':
      return []
    case 'object':
    case 'table':
      return {}
    default:
      return ''
  }
}

/** What stands between brackets at the end of a description: `(default: none)`. */
export function parts(description: string | undefined): { about: string; otherwise: string | undefined } {
  const found = /^(.*?)\s*\(default: (.*)\)$/s.exec(description ?? '')
  return found ? { about: found[1] ?? '', otherwise: found[2] } : { about: description ?? '', otherwise: undefined }
}

/** What is wrong with a value, in a sentence; nothing where it fits. */
export function wrong(schema: Schema, value: Value | undefined): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number') {
    if (schema.type === 'integer' && !Number.isInteger(value)) return 'this is a whole number'
    const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema
    if (minimum !== undefined && value < minimum) return `this is at least ${minimum}`
    if (above !== undefined && value <= above) return `this is above ${above}`
    if (maximum !== undefined && value > maximum) return `this is at most ${maximum}`
    if (below !== undefined && value >= below) return `this is below ${below}`
  }
  if (typeof value === 'string' && schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) {
    const example = schema.examples?.[0]
    return `this is not of the form that is taken${example === undefined ? '' : `, such as ${String(example)}`}`
  }
  return undefined
}
