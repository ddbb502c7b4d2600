import { listen } from './events'
import type { NewsKind } from '../api/kinds'
import { Problem } from '../api/problem'

/**
 * Something that was read and is read again when the live line tells that it may have changed.
 * Made while a component is set up; `read` runs again when what it depends on changes.
 */
export class Fresh<T> {
  value: T | undefined = $state.raw()
  problem: Problem | undefined = $state.raw()
  loading = $state(true)
  #read: (background: boolean) => Promise<T>
  #asked = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(read: (background: boolean) => Promise<T>, kinds: NewsKind[] = []) {
    this.#read = read
    $effect(() => {
      void this.load(false)
      const ends = [...kinds, 'resync' as const].map((kind) => listen(kind, () => this.#soon()))
      return () => {
        clearTimeout(this.#timer)
        for (const end of ends) end()
      }
    })
  }

  /** Reads it now. What comes late does not replace what is newer. */
  async load(background = false): Promise<void> {
    const asked = ++this.#asked
    try {
      const value = await this.#read(background)
      if (asked !== this.#asked) return
      this.value = value
      this.problem = undefined
    } catch (thrown) {
      if (asked === this.#asked) this.problem = Problem.from(thrown)
    }
    this.loading = false
  }

  /** Many events at a time are read once. */
  #soon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.load(true), 300)
  }
}
