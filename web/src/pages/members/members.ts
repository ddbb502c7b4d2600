// Members of a project, and what can be asked for them.
import { get, type Answer, type Sent } from '../../api/client'
import type { Wish } from '../../api/kinds'

export type Member = Answer<'get', '/projects/{project}/members'>[number]
export type Role = Member['role']
type Wanted = NonNullable<Sent<'post', '/projects/{project}/members'>>

export const DAY = 86_400_000
/** Level 1 ends after this many days at most. */
export const RAW_DAYS = 90

export const ROLES: { role: Role; about: string }[] = [
  { role: 'officer', about: 'reviews and decides, sets rules; needs a second person' },
  { role: 'steward', about: 'uploads, protects, asks for releases; needs a second person' },
  { role: 'analyst', about: 'reads releases of a level and coarser ones' },
  { role: 'operator', about: 'runs streams, reads no row' },
  { role: 'auditor', about: 'reads the log and what was decided, no row; needs a second person' },
]

export interface Asked {
  user: string
  role: Role
  level: string
  ends: string
  reason: string
}

/** Whether a second person has to grant it: it approves, or sees what nobody has approved yet. */
export const needsSecond = (role: Role, level: string): boolean => role === 'officer' || role === 'steward' || role === 'auditor' || level === '1'

/** What is asked for, as the server reads it. */
export function wanted({ user, role, level, ends, reason }: Asked): Wanted {
  const has = role === 'analyst' || (role === 'steward' && level === '1')
  return { user, role, level: has ? Number(level) : null, ends_at: ends ? new Date(`${ends}T23:59:59`).getTime() : null, reason }
}

export async function readMembers(project: string, background: boolean): Promise<{ members: Member[]; wishes: Wish[] }> {
  const asked = { path: { project }, background }
  const [members, wishes] = await Promise.all([get('/projects/{project}/members', asked), get('/projects/{project}/wishes', asked)])
  return { members, wishes: wishes.filter((wish) => wish.state === 'waiting') }
}
