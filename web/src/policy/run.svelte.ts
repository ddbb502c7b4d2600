// A job that a page asks for and follows to its end; a later one takes the place of an earlier.
import { get, post, type Path } from '../api/client'
import type { Failure, Job } from '../api/kinds'
import { Problem } from '../api/problem'
import type { Results } from '../api/results'
import { listen } from '../live/events'

/** Kinds that tell of points before they end, and how often these are read. */
const TELLS: readonly (keyof Results)[] = ['explore', 'tune', 'learn', 'attack']
const READ = 500

const ENDED = ['done', 'failed', 'cancelled']

/** Why a job has failed, as something that can be shown. */
export function problemOf(failure: Failure): Problem {
  const { what: title, ...rest } = failure
  return new Problem({ title, ...rest })
}

/** Made while a component is set up. */
export class Run<K extends keyof Results> {
  /** What the last one that ended has found. */
  result: Results[K] | undefined = $state.raw()
  /** What the one that runs has found so far. */
  partial: unknown = $state.raw()
  problem: Problem | undefined = $state.raw()
  busy = $state(false)
  /** How long the last one took, in milliseconds. */
  took: number | undefined = $state()
  job: Job | undefined = $state.raw()
  #project: string
  #kind: K
  #id: string | undefined
  #asked = 0
  #readAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `ends`: nobody wants it any more when the page is left. */
  constructor(project: string, kind: K, { ends: cancels = false } = {}) {
    this.#project = project
    this.#kind = kind
    $effect(() => {
      const ends = [
        listen('job', (news) => {
          if (news.id !== this.#id) return
          if (this.job && news.state === 'running' && this.job.state === 'running') {
            this.job = { ...this.job, progress: { stage: news.stage ?? '', rows: news.rows ?? 0, share: news.share } }
            if (TELLS.includes(kind)) this.#soon()
          } else void this.#read()
        }),
        listen('resync', () => void this.#read()),
      ]
      return () => {
        for (const end of ends) end()
        clearTimeout(this.#timer)
        if (cancels && this.busy) void this.cancel()
      }
    })
  }

  /** Asks for one, and no longer for the one before. */
  async ask(body: object): Promise<void> {
    const asked = ++this.#asked
    if (this.busy) void this.cancel()
    this.busy = true
    this.problem = undefined
    this.partial = undefined
    this.job = undefined
    try {
      const path = `/projects/{project}/jobs/${this.#kind}` as Path<'post'>
      const { id } = (await post(path, body as never, { path: { project: this.#project } as never })) as unknown as { id: string }
      if (asked !== this.#asked) {
        void this.#cancel(id)
        return
      }
      this.#id = id
      await this.#read()
    } catch (thrown) {
      if (asked !== this.#asked) return
      this.problem = Problem.from(thrown)
      this.busy = false
    }
  }

  /** Shows one that has ended before. */
  async show(id: string): Promise<void> {
    this.#asked += 1
    this.#id = id
    this.busy = true
    await this.#read()
  }

  async cancel(): Promise<void> {
    const id = this.#id
    this.#id = undefined
    this.busy = false
    if (id) await this.#cancel(id)
  }

  async #cancel(id: string): Promise<void> {
    // One that has ended meanwhile needs no end.
    await post('/projects/{project}/jobs/{job}/cancel', undefined, { path: { project: this.#project, job: id }, background: true }).catch(() => undefined)
  }

  /** Reads it when the time has come, however many events ask for it. */
  #soon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), Math.max(0, READ - (Date.now() - this.#readAt)))
  }

  async #read(): Promise<void> {
    const id = this.#id
    if (!id || !this.busy) return
    this.#readAt = Date.now()
    try {
      const job = (await get('/projects/{project}/jobs/{job}', { path: { project: this.#project, job: id }, background: true })) as Job
      if (id !== this.#id || !this.busy) return
      this.job = job
      if (!ENDED.includes(job.state)) {
        this.partial = job.result ?? undefined
        return
      }
      this.busy = false
      if (job.state === 'done') this.result = job.result as Results[K]
      if (job.problem) this.problem = problemOf(job.problem)
      if (job.begun_at && job.ended_at) this.took = job.ended_at - job.begun_at
    } catch (thrown) {
      if (id !== this.#id) return
      this.problem = Problem.from(thrown)
      this.busy = false
    }
  }
}
