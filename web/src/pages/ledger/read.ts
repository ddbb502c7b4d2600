// The data sets whose ledgers somebody may read, and what a ledger says.
import { get, getAll, type Answer } from '../../api/client'
import { session } from '../../session/session.svelte'
import { figure, plural } from '../../words/format'

export type Ledger = Answer<'get', '/projects/{project}/datasets/{dataset}/ledger'>

export interface Named {
  id: string
  name: string
}

/** Data sets; auditors may not list them, so theirs are those of which something was asked for. */
export async function readSets(project: string, background: boolean): Promise<Named[]> {
  const asked = { path: { project }, background }
  if (session.may('data.profile', project)) return (await getAll('/projects/{project}/datasets', asked)).map(({ id, name }) => ({ id, name }))
  const [requests, releases] = await Promise.all([getAll('/projects/{project}/requests', asked), getAll('/projects/{project}/releases', asked)])
  const names = new Map(releases.map((release) => [release.id, release.dataset]))
  const sets = new Map<string, string>()
  for (const request of requests) sets.set(request.dataset, names.get(request.id) ?? sets.get(request.dataset) ?? `data set ${request.dataset.slice(0, 8)}`)
  return [...sets].map(([id, name]) => ({ id, name }))
}

export const readLedger = (project: string, dataset: string, background: boolean): Promise<Ledger> =>
  get('/projects/{project}/datasets/{dataset}/ledger', { path: { project, dataset }, background })

/** What the releases give away together, in a sentence or two. */
export function sayTogether(ledger: Ledger): string {
  const published = ledger.releases.length
  if (!published) return 'Nothing was released of these data.'
  const gone = ledger.releases.filter((release) => release.state !== 'published').length
  const seen = gone ? ` ${plural(gone, 'of them was', 'of them were')} taken back or ended, and counts all the same: what was seen cannot be unseen.` : ''
  const followed = ledger.classes
    ? `${plural(ledger.classes, 'release is', 'releases are')} entered with ${ledger.classes === 1 ? 'its' : 'their'} classes: each later one was held against all of them, and nobody is in a smaller group than was promised.`
    : published > 1
      ? 'None could be entered with its classes, so they were not held against each other: compare by hand who could join them.'
      : 'It could not be entered with its classes, so later ones cannot be held against it.'
  return `${plural(published, 'release')} of these data ${published === 1 ? 'was' : 'were'} published.${seen} ${followed}`
}

export const epsilon = (nano: number): number => nano / 1e9

/** ε charged so far in each charge's last 365 days, for the drawing. */
export function spentOver(ledger: Ledger): { times: number[]; spent: number[] } {
  const YEAR = 365 * 86_400_000
  const times = ledger.charges.map((charge) => charge.at)
  const spent = times.map((at) => ledger.charges.filter((charge) => charge.at <= at && charge.at > at - YEAR).reduce((sum, charge) => sum + epsilon(charge.epsilon_nano), 0))
  return { times, spent }
}

export function sayBudget(ledger: Ledger): string {
  const of = typeof ledger.epsilon_a_year === 'number'
  if (of) return `ε = ${figure(ledger.epsilon)} of ${figure(ledger.epsilon_a_year)} was charged within a year.`
  return ledger.epsilon > 0 ? `ε = ${figure(ledger.epsilon)} was charged within a year; the rules set no budget.` : 'No method with ε was used, and the rules set no budget.'
}
