import type { Over } from '../../api/kinds'
import { listen } from '../../live/events'

export type Point = Partial<Over['points'][number]['figures']>

/** How often counts of all streams are read again while figures come. */
const AGAIN = 5000

/** The newest figures of each stream, as they come. Made while a component is set up. */
export class Lines {
  /** When the newest figures came. */
  at = $state(Date.now())
  #now: Record<string, Point> = $state.raw({})
  #read = Date.now()

  /** `again` reads what events do not tell. */
  constructor(again: () => void) {
    $effect(() =>
      listen('stream', (news) => {
        this.at = Date.now()
        this.#now = { ...this.#now, [news.id]: news.figures as Point }
        if (this.at - this.#read < AGAIN) return
        this.#read = this.at
        again()
      }),
    )
  }

  of(stream: string): Point | undefined {
    return this.#now[stream]
  }
}
