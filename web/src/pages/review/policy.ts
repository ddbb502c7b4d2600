// Which policy a version belongs to, and the command that makes the same bytes.
import { get, getAll } from '../../api/client'
import type { Bundle } from '../requests/choices'

export interface OfPolicy {
  text: string
  name: string
  number: number
  bundle: Bundle
}

/** The policy of a version; none where it is not found. */
export async function readPolicy(project: string, version: string, data: string): Promise<OfPolicy | undefined> {
  for (const { id, name } of await getAll('/projects/{project}/policies', { path: { project }, background: true })) {
    const path = { project, text: id }
    const versions = await getAll('/projects/{project}/policies/{text}/versions', { path, background: true })
    const found = versions.find((one) => one.id === version)
    if (!found) continue
    const bundle = await get('/projects/{project}/policies/{text}/versions/{version}/bundle', { path: { ...path, version }, query: { data }, background: true })
    return { text: id, name, number: found.number, bundle }
  }
  return undefined
}
