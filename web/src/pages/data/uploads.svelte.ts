// Uploads in parts. They go on while pages change and while the session is locked, as far as the
// server lets them, and from where the server says that they are.
import { get, post, sendBytes } from '../../api/client'
import { Problem } from '../../api/problem'
import { session } from '../../session/session.svelte'
import type { Sent } from '../../api/client'

/** The data set that a file becomes a version of. */
export type Target = Sent<'post', '/projects/{project}/inbox/{file}'>
type Phase = 'sends' | 'paused' | 'finishes' | 'done' | 'failed'

/** As many bytes as the server takes at a time. */
const PART = 8 << 20
/** Longer files are not read twice for their sum; each part is checked by the connection. */
const SUMMED = 64 << 20

export class Upload {
  readonly project: string
  readonly user = session.me?.id
  readonly file: File
  readonly into: Target
  sent = $state(0)
  phase: Phase = $state('sends')
  problem: Problem | undefined = $state.raw()
  /** The data set and the version that it has become. */
  made: { dataset: string; version: string } | undefined = $state.raw()
  #id: string | undefined
  #stop = false

  constructor(project: string, file: File, into: Target, id?: string) {
    this.project = project
    this.file = file
    this.into = into
    this.#id = id
  }

  get id(): string | undefined {
    return this.#id
  }

  pause(): void {
    this.#stop = true
  }

  /** Begins, or goes on where the server is. */
  async run(): Promise<void> {
    this.#stop = false
    this.problem = undefined
    this.phase = 'sends'
    const { project, file } = this
    try {
      if (!this.#id) {
        const begun = await post('/projects/{project}/uploads', { name: file.name, bytes: file.size }, { path: { project } })
        this.#id = begun.id
      }
      const path = { project, upload: this.#id }
      this.sent = (await get('/projects/{project}/uploads/{upload}', { path, background: true })).received
      while (this.sent < file.size) {
        if (this.#stop) {
          this.phase = 'paused'
          return
        }
        const part = file.slice(this.sent, this.sent + PART)
        const options = { path, query: { offset: this.sent }, background: true }
        const at = (await sendBytes('/projects/{project}/uploads/{upload}', part, options)) as { received: number }
        this.sent = at.received
      }
      this.phase = 'finishes'
      const sha256 = await sumOf(file)
      const version = await post('/projects/{project}/uploads/{upload}/finish', { into: this.into, ...(sha256 ? { sha256 } : {}) }, { path })
      this.made = { dataset: version.dataset, version: version.id }
      this.phase = 'done'
    } catch (thrown) {
      this.problem = Problem.from(thrown)
      this.phase = 'failed'
    }
  }
}

async function sumOf(file: File): Promise<string | undefined> {
  // Browsers have it in safe contexts alone, and only for what is in memory.
  if (file.size > SUMMED || typeof crypto.subtle === 'undefined') return undefined
  const sum = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

class Uploads {
  #all: Upload[] = $state.raw([])

  /** Those of who is signed in. */
  of(project: string): Upload[] {
    return this.#all.filter((upload) => upload.project === project && upload.user === session.me?.id)
  }

  async start(project: string, file: File, into: Target, id?: string): Promise<Upload> {
    const upload = new Upload(project, file, into, id)
    this.#all = [...this.#all.filter((other) => other.user === upload.user && (!id || other.id !== id)), upload]
    await upload.run()
    return upload
  }

  remove(upload: Upload): void {
    this.#all = this.#all.filter((other) => other !== upload)
  }
}

export const uploads = new Uploads()
