// Which data and which policy the pages of a project are about, from one step to the next.
import { get, getAll } from '../api/client'
import type { DataSet, Text } from '../api/kinds'
import type { Answer } from '../api/client'
import { Problem } from '../api/problem'
import { Fresh } from '../live/fresh.svelte'
import { router } from '../router/router.svelte'
import { session } from '../session/session.svelte'

export type Policy = Answer<'get', '/projects/{project}/policies/{text}'>
export type Version = NonNullable<DataSet['last']>

/** A policy and a data set, by their ids. */
interface Last {
  text?: string
  set?: string
}

const last = new Map<string, Last>()

/** What was chosen last in a project, as long as the app is open. */
export const lastOf = (project: string): Last => last.get(project) ?? {}

/** What the next pages of a project begin with. */
export function remember(project: string, what: Last): void {
  last.set(project, { ...lastOf(project), ...what })
}

/** Made while a component is set up. */
export class Chosen {
  readonly project: string
  all: Fresh<{ sets: DataSet[]; texts: Text[] }>

  constructor(project: string) {
    this.project = project
    for (const what of ['text', 'set'] as const) {
      const named = router.query.get(what)
      if (named) remember(project, { [what]: named })
    }
    const asked = { path: { project } }
    const may = (right: string) => session.may(right, project)
    this.all = new Fresh(async (background) => {
      const [sets, texts] = await Promise.all([
        may('data.profile') ? getAll('/projects/{project}/datasets', { ...asked, background }) : [],
        getAll('/projects/{project}/policies', { ...asked, background }),
      ])
      return { sets: sets.filter((set) => set.last && !set.last.deleted_at), texts }
    }, [])
  }

  /** The policy, by the address, else as before, else the first. */
  get text(): Text | undefined {
    return this.#of(this.all.value?.texts, 'text')
  }
  get set(): DataSet | undefined {
    return this.#of(this.all.value?.sets, 'set')
  }
  /** The version of the data that jobs are about. */
  get version(): Version | undefined {
    return this.set?.last ?? undefined
  }

  choose(what: 'text' | 'set', id: string): void {
    remember(this.project, { [what]: id })
    router.note(what, id)
  }

  #of<T extends { id: string }>(all: T[] | undefined, what: 'text' | 'set'): T | undefined {
    const named = router.query.get(what) ?? lastOf(this.project)[what]
    return all?.find((one) => one.id === named) ?? all?.[0]
  }
}

/** What a person has written of a policy and not saved. */
export interface Writing {
  text: string
  /** The version that it began with. */
  base: number
}

export const draftName = (policy: string) => `protect:${policy}`

/** A policy as its steward has it now: the draft, where there is one. */
export interface Current {
  id: string
  name: string
  text: string
  /** The version that is saved. */
  saved: Policy
  isDraft: boolean
}

export async function current(project: string, text: Text, background = false): Promise<Current> {
  const saved = await get('/projects/{project}/policies/{text}', { path: { project, text: text.id }, background })
  const draft = await draftOf(text.id, background)
  const isDraft = draft !== undefined && draft.text !== saved.content
  return { id: text.id, name: text.name, text: isDraft ? draft.text : saved.content, saved, isDraft }
}

async function draftOf(policy: string, background: boolean): Promise<Writing | undefined> {
  try {
    const { content } = await get('/me/drafts/{draft}', { path: { draft: draftName(policy) }, background })
    return content as Writing
  } catch (thrown) {
    if (Problem.from(thrown).status === 404) return undefined
    throw thrown
  }
}

/** Which policy a job is about: what is saved by its version, what is not by its text. */
export function about(of: Current, data: Version): { data: string; policy: string } | { data: string; text: string } {
  return of.isDraft ? { data: data.id, text: of.text } : { data: data.id, policy: of.saved.id }
}
