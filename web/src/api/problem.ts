/** A place in a text that was sent. */
export interface Place {
  line: number
  column: number
}

/** Problem details as the server writes them. */
interface Details {
  title: string
  status: number
  code: string
  instance?: string
  help?: string
  place?: Place
}

/** What went wrong and the way out; never a cell of data. */
export class Problem extends Error {
  readonly status: number
  /** One word for programs. */
  readonly code: string
  readonly help: string | undefined
  readonly place: Place | undefined
  /** The id of the request, as it stands in the log of the server. */
  readonly instance: string | undefined
  /** After how many seconds to try again. */
  readonly retryAfter: number | undefined

  constructor(details: Details, retryAfter?: number) {
    super(details.title)
    this.name = 'Problem'
    this.status = details.status
    this.code = details.code
    this.help = details.help
    this.place = details.place
    this.instance = details.instance
    this.retryAfter = retryAfter
  }

  /** Of a response that is no success. */
  static async of(response: Response): Promise<Problem> {
    const seconds = Number(response.headers.get('retry-after') ?? NaN)
    const after = Number.isFinite(seconds) ? seconds : undefined
    const kind = response.headers.get('content-type') ?? ''
    if (kind.startsWith('application/problem+json')) {
      return new Problem((await response.json()) as Details, after)
    }
    const title = 'the server answered something that this page does not understand'
    return new Problem({ title, status: response.status, code: 'unknown', help: 'reload the page' }, after)
  }

  /** The server was not reached. */
  static unreachable(): Problem {
    const help = 'look whether the server runs and the network is there; what you typed is kept'
    return new Problem({ title: 'the server does not answer', status: 0, code: 'unreachable', help })
  }

  /** Whatever was thrown, as something that can be shown. */
  static from(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown
    const title = thrown instanceof Error ? thrown.message : String(thrown)
    return new Problem({ title, status: 0, code: 'page', help: 'reload the page' })
  }
}
