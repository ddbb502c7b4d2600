// The log as pages ask for it: whose it is, what of it, and what its acts are called.
import { get, type Item } from '../../api/client'

export type Entry = Item<'/audit'>
export interface Part {
  items: Entry[]
  next?: string | null
}

/** Which log: that of a project, that of everything, or what administrators did. */
export type Source = { project: string } | 'all' | 'admin'

export interface Wanted {
  from: string
  until: string
  actor: string
  act: string
}
export const NOTHING: Wanted = { from: '', until: '', actor: '', act: '' }

export async function readLog(source: Source, wanted: Wanted, after: string | undefined, background: boolean): Promise<Part> {
  const DAY = 86_400_000
  const at = (day: string, later = 0) => (day ? { ms: new Date(`${day}T00:00:00`).getTime() + later } : undefined)
  const [from, until] = [at(wanted.from), at(wanted.until, DAY)]
  const query = {
    limit: 100,
    ...(after ? { after: Number(after) } : {}),
    ...(from ? { from: from.ms } : {}),
    ...(until ? { until: until.ms } : {}),
    ...(wanted.actor ? { actor: Number(wanted.actor) } : {}),
    ...(wanted.act.trim() ? { act: wanted.act.trim() } : {}),
  }
  if (source === 'all') return get('/audit', { query, background })
  if (source === 'admin') return get('/audit/admin', { query, background })
  return get('/projects/{project}/audit', { path: { project: source.project }, query, background })
}

/** Beginnings of acts, as people look for them. */
export const GROUPS: { act: string; label: string }[] = [
  { act: 'release', label: 'releases: asked, approved, looked at, downloaded' },
  { act: 'release.download', label: 'downloads' },
  { act: 'data', label: 'data: versions, raw rows, deletions' },
  { act: 'data.raw', label: 'raw rows that were read' },
  { act: 'member', label: 'memberships' },
  { act: 'rules', label: 'rules' },
  { act: 'job', label: 'jobs' },
  { act: 'stream', label: 'streams' },
  { act: 'session', label: 'sign-ins and sessions' },
  { act: 'user', label: 'users' },
  { act: 'token', label: 'tokens' },
  { act: 'refused', label: 'refused: a right was missing' },
]
