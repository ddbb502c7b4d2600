// Drafts on the server: kept, forgotten, and what is said where one cannot be kept.
import { SvelteMap } from 'svelte/reactivity'
import { del, get, put } from '../api/client'
import { Problem } from '../api/problem'

/** Drafts that pages keep for the next visit and nobody has written: the oldest make room for others. */
const REMEMBERED = ['check:', 'explore:', 'learn:', 'filter:']

export async function keep(name: string, content: unknown): Promise<void> {
  const send = () => put('/me/drafts/{draft}', { content }, { path: { draft: name }, background: true })
  try {
    await send()
  } catch (thrown) {
    if (Problem.from(thrown).code !== 'too-many-drafts' || !(await makeRoom(name))) throw thrown
    await send()
  }
}

/** Forgets it, whether it is there or not. */
export async function remove(name: string): Promise<void> {
  try {
    await del('/me/drafts/{draft}', undefined, { path: { draft: name }, background: true })
  } catch (thrown) {
    if (Problem.from(thrown).status !== 404) throw thrown
  }
}

/** Forgets what pages remember of a policy, since it has become a request. */
export async function forgetTrials(text: string): Promise<void> {
  await Promise.allSettled(['check', 'explore', 'learn'].map((page) => remove(`${page}:${text}`)))
}

/** Forgets the oldest that is only remembered; false where there is none. */
async function makeRoom(name: string): Promise<boolean> {
  const all = await get('/me/drafts', { background: true })
  const oldest = all.filter((one) => one.name !== name && REMEMBERED.some((kind) => one.name.startsWith(kind))).at(-1)
  if (oldest) await remove(oldest.name)
  return oldest !== undefined
}

interface Refused {
  problem: Problem
  /** Tries to keep it once more. */
  again: () => void
}

class Unkept extends SvelteMap<string, Refused> {
  /** Something was left, or locked away, that could not be kept. */
  lost = $state(false)

  /** The page with it is gone. */
  leave(name: string): void {
    if (this.delete(name)) this.lost = true
  }
}

/** Drafts that the server has refused. */
export const unkept = new Unkept()
