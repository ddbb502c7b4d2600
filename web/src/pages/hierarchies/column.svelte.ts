// The column that a hierarchy is for: what the server tells of its values.
import { get, getAll } from '../../api/client'
import type { Profile } from '../../api/results'
import { Fresh } from '../../live/fresh.svelte'
import { router } from '../../router/router.svelte'
import { session } from '../../session/session.svelte'
import { unitOf } from '../data/profile'

export interface Bound {
  version: string
  unit: string
  profile: Profile
  column: Profile['columns'][number]
}

/** A column with its place. */
export interface Choice {
  set: string
  setName: string
  version: string
  number: number
  profile: Profile
}

/** The last versions of all data sets, as far as their columns were looked at. Made while a component is set up. */
export class Columns {
  #fresh: Fresh<Choice[]>

  constructor(project: () => string) {
    this.#fresh = new Fresh((background) => read(project(), background), ['job'])
  }

  get all(): Choice[] {
    return this.#fresh.value ?? []
  }
  get problem(): unknown {
    return this.#fresh.problem
  }
  get loading(): boolean {
    return this.#fresh.loading
  }

  /** The column that the address names; else the one that is called as the hierarchy. */
  bound(name: string): Bound | undefined {
    const [set, wanted] = [router.query.get('set'), router.query.get('column')]
    if (wanted === '-') return undefined
    const stem = name.replace(/\.[^.]*$/, '').toLowerCase()
    for (const choice of this.all) {
      if (set && choice.set !== set) continue
      const column = choice.profile.columns.find((one) => (wanted ? one.name === wanted : one.name.toLowerCase() === stem))
      if (column) return { version: choice.version, unit: unitOf(choice.profile), profile: choice.profile, column }
    }
    return undefined
  }
}

async function read(project: string, background: boolean): Promise<Choice[]> {
  if (!session.may('data.profile', project)) return []
  const sets = await getAll('/projects/{project}/datasets', { path: { project }, background })
  const found = await Promise.all(
    sets.map(async (set) => {
      if (!set.last) return []
      const { id: version, number } = set.last
      const { found } = await get('/projects/{project}/datasets/{dataset}/versions/{version}/profile', { path: { project, dataset: set.id, version }, background })
      return found ? [{ set: set.id, setName: set.name, version, number, profile: found as Profile }] : []
    }),
  )
  return found.flat()
}
