// Names of people, as far as who is signed in may know them.
import { get } from '../api/client'
import { session } from './session.svelte'

export type Names = Map<string, string>

/** Names of the members of a project, for officers, auditors and administrators; none for others. */
export async function readNames(project: string, background: boolean): Promise<Names> {
  if (!session.may('members.list', project)) return new Map()
  const members = await get('/projects/{project}/members', { path: { project }, background })
  return new Map(members.map((member) => [member.user, member.name ?? '']))
}

/** Who this is: oneself, a name, or nothing more than another member. */
export function say(names: Names | undefined, user: string | null | undefined): string {
  if (!user) return 'nobody'
  if (user === session.me?.id) return 'you'
  return names?.get(user) || 'another member'
}
