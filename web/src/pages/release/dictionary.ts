// The dictionary of a level: what its columns show, and how often. No more than anybody counts who has it.
import { get } from '../../api/client'

export interface Column {
  name: string
  role: string | null
  treatment: string | null
  /** What its cells have lost, from 0 to 1. */
  loss: number | null
  missing: number
  values: { value: string; rows: number }[]
  /** There are more values than are listed. */
  more: boolean
}

export async function readDictionary(project: string, release: string, level: number): Promise<Column[]> {
  const path = { project, release, level: String(level) }
  const read = await get('/projects/{project}/releases/{release}/levels/{level}/dictionary', { path })
  return (read as { columns: Column[] }).columns
}

/** What a released value means, where its form says it. */
export function meaning(value: string): string | undefined {
  if (value === '*') return 'any value'
  const [low, high, more] = value.split('..')
  if (high !== undefined && more === undefined && (isEnd(low) || isEnd(high))) {
    if (low === '') return `${high} or less`
    if (high === '') return `${low} or more`
    return `a value from ${low} to ${high}, both included`
  }
  if (value.startsWith('{') && value.endsWith('}')) return `one of ${value.slice(1, -1).split('|').join(', ')}`
  const hidden = /\*+$/.exec(value)?.[0].length ?? 0
  if (hidden > 0 && hidden < value.length) return `begins with ${value.slice(0, -hidden)}, ${hidden} hidden`
  return undefined
}

const isEnd = (text: string | undefined) => text !== undefined && text !== '' && (/^\d{4}-\d\d-\d\d$/.test(text) || Number.isFinite(Number(text)))

const TREATMENTS: Record<string, string> = {
  kept: 'Shown as it was.',
  dropped: 'Not released.',
  generalised: 'Made coarser: each value stands for several, so that rows of a class look the same.',
}
const ROLES: Record<string, string> = {
  quasi: 'others may know it of somebody',
  sensitive: 'what nobody should learn of a person',
  plain: 'neither known nor sensitive',
  identifier: 'names a person',
  subject: 'tells which rows are of one person',
}

export function sayTreatment(treatment: string | null, loss: number | null): string {
  if (treatment === 'generalised' && loss === 0) return 'It might have been made coarser, and is as it was.'
  return TREATMENTS[treatment ?? ''] ?? treatment ?? ''
}
export const sayRole = (role: string | null): string => (role ? `${role}${ROLES[role] ? `: ${ROLES[role]}` : ''}` : '')
