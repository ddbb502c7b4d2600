// What a request can be made of: versions of data that can still be read, versions of policies, and
// the levels that a policy releases.
import { get, getAll, post, type Answer, type Item } from '../../api/client'
import type { DataSet, Text } from '../../api/kinds'

export type DataVersion = Item<'/projects/{project}/datasets/{dataset}/versions'>
export type PolicyVersion = Item<'/projects/{project}/policies/{text}/versions'>
export type Rules = Answer<'get', '/projects/{project}/rules'>
export type Bundle = Answer<'get', '/projects/{project}/policies/{text}/versions/{version}/bundle'>

/** Something that has versions, the newest first. */
export interface Group<Version> {
  id: string
  name: string
  versions: Version[]
}

export interface Choices {
  data: Group<DataVersion>[]
  policies: Group<PolicyVersion>[]
  rules: Rules | undefined
}

/** How many versions of each are offered. */
const VERSIONS = 50

export async function readChoices(project: string, background: boolean): Promise<Choices> {
  const asked = { path: { project }, background }
  const [sets, texts, rules] = await Promise.all([
    getAll('/projects/{project}/datasets', asked),
    getAll('/projects/{project}/policies', asked),
    get('/projects/{project}/rules', asked).catch(() => undefined),
  ])
  const [data, policies] = await Promise.all([
    Promise.all(sets.map((set) => dataVersions(project, set, background))),
    Promise.all(texts.map((text) => policyVersions(project, text, background))),
  ])
  return { data: data.filter((group) => group.versions.length > 0), policies, rules }
}

async function dataVersions(project: string, { id, name }: DataSet, background: boolean): Promise<Group<DataVersion>> {
  const all = await getAll('/projects/{project}/datasets/{dataset}/versions', { path: { project, dataset: id }, background }, VERSIONS)
  return { id, name, versions: all.filter((version) => version.deleted_at === null || version.deleted_at === undefined) }
}

async function policyVersions(project: string, { id, name }: Text, background: boolean): Promise<Group<PolicyVersion>> {
  return { id, name, versions: await getAll('/projects/{project}/policies/{text}/versions', { path: { project, text: id }, background }, VERSIONS) }
}

/** A level of a policy; its number is 2 for the finest. */
export interface Level {
  level: number
  name: string
}

/** The levels that a version of a policy releases; what is wrong with it is thrown, with its place. */
export async function readLevels(project: string, text: string, version: string, data: string | undefined): Promise<Level[]> {
  const { content } = await get('/projects/{project}/policies/{text}/versions/{version}', { path: { project, text, version } })
  const { levels } = await post('/projects/{project}/policies/check', { content, data: data || null }, { path: { project } })
  return levels.length ? levels.map((name, place) => ({ level: place + 2, name })) : [{ level: 2, name: 'release' }]
}

/** What the rules want of a level, in a sentence each. */
export function sayRules(rules: Rules | undefined): string[] {
  if (!rules) return []
  const ks = Object.entries(rules.least_k ?? {}).map(([level, k]) => `level ${level} hides everybody among at least ${k} persons`)
  return [
    ...ks,
    ...(rules.methods ? [`the methods are among ${rules.methods.join(', ')}`] : []),
    ...(typeof rules.epsilon_a_year === 'number' ? [`a data set spends ε = ${rules.epsilon_a_year} a year at most`] : []),
    ...(typeof rules.attacks_at_most === 'number' ? [`no attack finds more than ${rules.attacks_at_most * 100} %`] : []),
  ]
}
