// Users, as administrators see them, and names of people for who may know only members.
import { get, getAll, type Item } from '../../api/client'
import type { Wish } from '../../api/kinds'
import { readNames, type Names } from '../../session/names'
import { session } from '../../session/session.svelte'

export type User = Item<'/users'>
export type Project = Item<'/projects'>

export const readUsers = (background: boolean): Promise<User[]> => getAll('/users', { background }, 10_000)

/** How a user is called; a deleted one has a number. */
export const nameOf = (user: User): string => user.name ?? `deleted user, number ${user.number}`

/** Names of everybody for administrators, of all members for auditors. */
export async function readPeople(background: boolean): Promise<Names> {
  if (session.may('users.list')) return new Map((await readUsers(background)).map((user) => [user.id, nameOf(user)]))
  if (!session.may('members.list')) return new Map()
  const projects = await getAll('/projects', { background })
  const lists = await Promise.all(projects.map((project) => readNames(project.id, background)))
  return new Map(lists.flatMap((names) => [...names]))
}

/** What waits for an administrator: grants of the server, and memberships of projects. */
export async function readGrants(projects: Project[], background: boolean): Promise<Wish[]> {
  const [wishes, ...ofProjects] = await Promise.all([get('/wishes', { background }), ...projects.map((project) => get('/projects/{project}/wishes', { path: { project: project.id }, background }))])
  return [...wishes, ...ofProjects.flat().filter((wish) => wish.kind === 'member')].filter((wish) => wish.state === 'waiting')
}

/** The address by which somebody uses a link that was made for them. */
export const addressOf = (link: string): string => `${location.origin}/#link=${link}`
