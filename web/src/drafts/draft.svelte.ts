// What a person is writing: kept on the server every two seconds, so that it is there after a lock, on
// another machine, and after a mistake. Keeping it is nobody's act: it does not hold the session open.
import { untrack } from 'svelte'
import { get } from '../api/client'
import { Problem } from '../api/problem'
import { session } from '../session/session.svelte'
import { keep, remove, unkept } from './kept.svelte'

const SAVE = 2000
/** Changes within this time are one step of undo. */
const STEP = 800
const STEPS = 200
/** What the server says when it has no time: asking again helps. */
const BUSY = [429, 503]

/** The same text of the same value: the server gives fields back in another order. */
function asText(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
  return JSON.stringify(value, sorted)
}

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
  /** States of which nothing has to be kept: the first one, and one that has become something else. */
  #settled: Set<string>
  /** A state that the server does not take: it is not sent again. */
  #refused: string | undefined
  #turn: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined

  constructor(name: string, initial: T) {
    this.#name = name
    this.value = structuredClone(initial)
    this.#now = asText(initial)
    this.#settled = new Set([this.#now])
    void this.#load()
    $effect(() => {
      const text = asText(this.value)
      untrack(() => this.#note(text))
    })
    $effect(() => {
      const timer = setInterval(() => void this.save(), SAVE)
      const end = session.beforeLock(() => this.save())
      return () => {
        clearInterval(timer)
        end()
        void this.save().then(() => unkept.leave(name))
      }
    })
  }

  /** What it is as long as nobody has changed anything: no step to undo, nothing to keep. */
  begin(value: T): void {
    this.#now = asText(value)
    this.#settled.add(this.#now)
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

  /** Sends what is not saved, after what is being sent. */
  save(): Promise<void> {
    this.#queued ??= this.#turn.then(() => {
      this.#queued = undefined
      return this.#send()
    })
    this.#turn = this.#queued
    return this.#turn
  }

  /** It has become something else, or is not wanted any more; what comes after it is kept again. */
  forget(): Promise<void> {
    this.#settled.add(this.#now)
    this.dirty = true
    return this.save()
  }

  async #send(): Promise<void> {
    const text = this.#now
    if (!this.dirty || text === this.#refused) return
    const isSettled = this.#settled.has(text)
    try {
      await (isSettled ? remove(this.#name) : keep(this.#name, JSON.parse(text)))
      // It may have been settled while it was sent: then it still has to go.
      if (text === this.#now) this.dirty = this.#settled.has(text) !== isSettled
      this.savedAt = isSettled ? undefined : Date.now()
      this.problem = this.#refused = undefined
      unkept.delete(this.#name)
    } catch (thrown) {
      const problem = Problem.from(thrown)
      this.problem = problem
      if (![400, 409, 413, 422].includes(problem.status)) return
      this.#refused = text
      const again = () => {
        this.#refused = undefined
        void this.save()
      }
      unkept.set(this.#name, { problem, again })
    }
  }

  async #load(): Promise<void> {
    try {
      const { content } = (await get('/me/drafts/{draft}', { path: { draft: this.#name }, background: true })) as { content: T }
      // What was typed meanwhile is not taken away.
      if (!this.dirty) {
        // What an earlier version of the app has kept lacks what is newer.
        const whole = { ...this.value, ...content }
        this.#now = asText(whole)
        this.value = whole
      }
      this.problem = undefined
    } catch (thrown) {
      const problem = Problem.from(thrown)
      if (problem.status !== 404) this.problem = problem
      // Else the first thing that is typed would replace what was kept.
      if (BUSY.includes(problem.status) && !this.dirty) {
        setTimeout(() => void this.#load(), SAVE)
        return
      }
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
