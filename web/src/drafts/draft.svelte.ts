// What a person is writing: kept on the server every two seconds, so that it is there after a lock, on
// another machine, and after a mistake.
import { untrack } from 'svelte'
import { del, get, put } from '../api/client'
import { Problem } from '../api/problem'
import { session } from '../session/session.svelte'

const SAVE = 2000
/** Changes within this time are one step of undo. */
const STEP = 800
const STEPS = 200

/**
 * A draft with undo and redo. Made while a component is set up:
 * `const draft = new Draft('protect:ID', { text: '' })`, then `draft.value.text = …`.
 */
export class Draft<T extends object> {
  value: T = $state() as T
  /** Whether the server was asked for an earlier one. */
  ready = $state(false)
  /** Whether there is something that is not saved. */
  dirty = $state(false)
  savedAt: number | undefined = $state()
  problem: Problem | undefined = $state.raw()
  #name: string
  #past: string[] = $state.raw([])
  #future: string[] = $state.raw([])
  #now: string
  #changedAt = 0
  #ended = false

  constructor(name: string, initial: T) {
    this.#name = name
    this.value = structuredClone(initial)
    this.#now = JSON.stringify(initial)
    void this.#load()
    $effect(() => {
      const text = JSON.stringify(this.value)
      untrack(() => this.#note(text))
    })
    $effect(() => {
      const timer = setInterval(() => void this.save(), SAVE)
      const end = session.beforeLock(() => this.save())
      return () => {
        clearInterval(timer)
        end()
        void this.save()
      }
    })
  }

  /** What it is as long as nobody has changed anything: no step to undo, nothing to keep. */
  begin(value: T): void {
    this.#now = JSON.stringify(value)
    this.value = value
  }

  get canUndo(): boolean {
    return this.#past.length > 0
  }
  get canRedo(): boolean {
    return this.#future.length > 0
  }

  /** The next change is a step of its own, however soon it comes. */
  step(): void {
    this.#changedAt = 0
  }

  undo(): void {
    const before = this.#past.at(-1)
    if (before === undefined) return
    this.#past = this.#past.slice(0, -1)
    this.#future = [...this.#future, this.#now]
    this.#set(before)
  }

  redo(): void {
    const after = this.#future.at(-1)
    if (after === undefined) return
    this.#future = this.#future.slice(0, -1)
    this.#past = [...this.#past, this.#now]
    this.#set(after)
  }

  /** Sends what is not saved. */
  async save(): Promise<void> {
    if (!this.dirty || this.#ended) return
    const text = this.#now
    try {
      await put('/me/drafts/{draft}', { content: JSON.parse(text) as unknown }, { path: { draft: this.#name } })
      if (text === this.#now) this.dirty = false
      this.savedAt = Date.now()
      this.problem = undefined
    } catch (thrown) {
      this.problem = Problem.from(thrown)
    }
  }

  /** It has become something else, or is not wanted any more. */
  async forget(): Promise<void> {
    this.#ended = true
    this.dirty = false
    await del('/me/drafts/{draft}', undefined, { path: { draft: this.#name } }).catch(() => undefined)
  }

  async #load(): Promise<void> {
    try {
      const { content } = (await get('/me/drafts/{draft}', { path: { draft: this.#name } })) as { content: T }
      // What was typed meanwhile is not taken away.
      if (!this.dirty) {
        this.#now = JSON.stringify(content)
        this.value = content
      }
    } catch (thrown) {
      const problem = Problem.from(thrown)
      if (problem.status !== 404) this.problem = problem
    }
    this.ready = true
  }

  #note(text: string): void {
    if (text === this.#now) return
    const at = Date.now()
    if (at - this.#changedAt > STEP) this.#past = [...this.#past, this.#now].slice(-STEPS)
    this.#changedAt = at
    this.#future = []
    this.#now = text
    this.dirty = true
  }

  #set(text: string): void {
    this.#now = text
    this.#changedAt = 0
    this.value = JSON.parse(text) as T
    this.dirty = true
  }
}
