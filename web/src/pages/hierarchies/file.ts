// Hierarchies as files, and versions that come back.
import { post } from '../../api/client'

/** Has the browser keep a file in the layout of ARX. */
export function save(name: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = /\.csv$/i.test(name) ? name : `${name}.csv`
  link.click()
  URL.revokeObjectURL(address)
}

/** Makes a new version with what an old one holds. */
export async function restore(project: string, { text, version, seen }: { text: string; version: string; seen: number }): Promise<void> {
  await post('/projects/{project}/hierarchies/{text}/versions/{version}/restoration', undefined, { path: { project, text, version }, version: seen })
}
