// A sample to begin with, from any page that needs data.
import { toast } from '../../parts/toast.svelte'
import { session } from '../../session/session.svelte'
import { madeUpAdmissions } from './sample'
import { uploads } from './uploads.svelte'

/** Uploads made-up admissions; none where that did not go through, which the page Data says. */
export async function bringSample(project: string): Promise<{ dataset: string; version: string } | undefined> {
  const upload = await uploads.start(project, madeUpAdmissions(), { new: { name: 'admissions', identifiers: ['name'] } })
  if (!upload.made) return undefined
  uploads.remove(upload)
  toast('2,000 made-up admissions are here')
  return upload.made
}

/** The sample of an empty page, for who may bring data; `then` goes on with it. */
export function sampleOf(project: string, then: () => void | Promise<void>): { sample?: { label: string; load: () => Promise<void> } } {
  if (!session.may('data.upload', project)) return {}
  const load = async () => {
    if (await bringSample(project)) await then()
  }
  return { sample: { label: 'Begin with made-up admissions', load } }
}
