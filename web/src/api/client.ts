// The one way to the server: every call has the token of the session, a key under which it is done
// once, and the same answers to what can be in the way.
import { Problem } from './problem'
import type { paths } from './schema'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation = { responses: Record<number | string, unknown> }
type Below<P> = P extends `/api/v1${infer Rest}` ? Rest : never

/** The paths that have a method. */
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: Operation } ? Below<P> : never
}[keyof paths]

type Of<M extends Method, P extends string> = `/api/v1${P}` extends infer Whole
  ? Whole extends keyof paths
    ? M extends keyof paths[Whole]
      ? paths[Whole][M]
      : never
    : never
  : never
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : void
type Success<R> = R extends { 200: infer A } ? A : R extends { 201: infer A } ? A : R extends { 202: infer A } ? A : never

/** What a call answers. */
export type Answer<M extends Method, P extends Path<M>> =
  Of<M, P> extends { responses: infer R } ? ([Success<R>] extends [never] ? void : Json<Success<R>>) : never
/** The body that a call sends. */
export type Sent<M extends Method, P extends Path<M>> =
  Of<M, P> extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : undefined
/** An item of a list that comes page by page. */
export type Item<P extends Path<'get'>> = Answer<'get', P> extends { items: (infer T)[] } ? T : never

type Parts<O> = O extends { parameters: { path: infer A } } ? A : never
type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never

/** What a call can be given. */
export interface Options<O> {
  /** The named parts of the path. */
  path?: Parts<O>
  query?: Query<O>
  /** The version that an edit changes. */
  version?: number | string
  /** Nobody has to be there for it: it does not keep the session open. */
  background?: boolean
  /** Under which it is done once, however often it is sent; made for each call where there is none. */
  key?: string
  signal?: AbortSignal
}

/** An answer with the version that an edit of it must name. */
export interface Reply<T> {
  value: T
  version: string | undefined
}

/** What the session does about answers; set by it, so that this file does not know it. */
export interface Guard {
  /** Nobody is signed in, the session is locked, or waits for a second factor. */
  ended(problem: Problem): void
  /** The second factor has to be shown again; true once it was. */
  stepUp(): Promise<boolean>
  /** The token may be that of another tab's session; true when there is a newer one. */
  renew(): Promise<boolean>
  /** A call was made for somebody who is there. */
  active(): void
}

let token = ''
let guard: Guard | undefined

export function useToken(value: string): void {
  token = value
}
export function useGuard(value: Guard): void {
  guard = value
}

interface Asked {
  method: Method
  address: string
  headers: Headers
  body: BodyInit | undefined
  signal: AbortSignal | undefined
}

function addressOf(path: string, parts: unknown, query: unknown): string {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((parts as Record<string, unknown> | undefined)?.[name] ?? '')),
  )
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) asked.append(name, String(value))
  }
  const text = asked.toString()
  return `/api/v1${named}${text ? `?${text}` : ''}`
}

async function send({ method, address, headers, body, signal }: Asked): Promise<Response> {
  if (method !== 'get') headers.set('x-moretta-token', token)
  const init: RequestInit = { method: method.toUpperCase(), headers, cache: 'no-store' }
  if (body !== undefined) init.body = body
  if (signal) init.signal = signal
  try {
    return await fetch(address, init)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw Problem.unreachable()
  }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends it; again where the way in between was in the way. */
async function sendOnce(asked: Asked): Promise<Response> {
  const again = new Set<string>()
  for (;;) {
    let response: Response
    try {
      response = await send(asked)
    } catch (thrown) {
      // The key makes it safe: what was done already is answered as the first time.
      if (!(thrown instanceof Problem) || again.has('network')) throw thrown
      again.add('network')
      await wait(1000)
      continue
    }
    if (response.ok) return response
    const problem = await Problem.of(response)
    if (again.has(problem.code)) throw problem
    again.add(problem.code)
    switch (problem.code) {
      case 'too-many':
        await wait(1000 * (problem.retryAfter ?? 1))
        continue
      case 'step-up':
        if (await guard?.stepUp()) continue
        throw problem
      case 'other-origin':
        if (await guard?.renew()) continue
        throw problem
      case 'signed-out':
      case 'session-locked':
      case 'second-factor':
      case 'factor-needed':
        guard?.ended(problem)
        throw problem
      default:
        throw problem
    }
  }
}

async function call(method: Method, path: string, options: Options<unknown>, sent?: unknown): Promise<Response> {
  const headers = new Headers()
  if (options.background) headers.set('x-moretta-background', '1')
  if (options.version !== undefined) headers.set('if-match', `"${options.version}"`)
  // What begins or changes a session is not done twice under a key.
  if (method !== 'get') headers.set('idempotency-key', options.key ?? crypto.randomUUID())
  let body: BodyInit | undefined
  if (sent instanceof Blob) {
    headers.set('content-type', 'application/octet-stream')
    body = sent
  } else if (sent !== undefined) {
    headers.set('content-type', 'application/json')
    body = JSON.stringify(sent)
  }
  if (!options.background) guard?.active()
  const address = addressOf(path, options.path, options.query)
  return sendOnce({ method, address, headers, body, signal: options.signal })
}

async function read(response: Response): Promise<unknown> {
  const kind = response.headers.get('content-type') ?? ''
  if (response.status === 204 || kind === '') return undefined
  return kind.startsWith('application/json') ? response.json() : response.text()
}

/** Reads. */
export async function get<P extends Path<'get'>>(path: P, options: Options<Of<'get', P>> = {}): Promise<Answer<'get', P>> {
  return (await read(await call('get', path, options))) as Answer<'get', P>
}

/** Reads what an edit will name: its version goes with it. */
export async function getVersioned<P extends Path<'get'>>(
  path: P,
  options: Options<Of<'get', P>> = {},
): Promise<Reply<Answer<'get', P>>> {
  const response = await call('get', path, options)
  const tag = response.headers.get('etag')?.replace(/^W\/|"/g, '')
  return { value: (await read(response)) as Answer<'get', P>, version: tag }
}

/** Reads all pages of a list, up to `most` items. */
export async function getAll<P extends Path<'get'>>(
  path: P,
  options: Options<Of<'get', P>> = {},
  most = 500,
): Promise<Item<P>[]> {
  const items: Item<P>[] = []
  let after: string | null | undefined
  do {
    const query = { ...(options.query as object | undefined), ...(after ? { after } : {}) } as Query<Of<'get', P>>
    const page = (await get(path, { ...options, query })) as unknown as { items: Item<P>[]; next?: string | null }
    items.push(...page.items)
    after = page.next
  } while (after && items.length < most)
  return items
}

function unsafe<M extends Exclude<Method, 'get'>>(method: M) {
  return async <P extends Path<M>>(
    path: P,
    body?: Sent<M, P>,
    options: Options<Of<M, P>> = {},
  ): Promise<Answer<M, P>> => (await read(await call(method, path, options, body))) as Answer<M, P>
}

/** Has something done. */
export const post = unsafe('post')
export const put = unsafe('put')
export const patch = unsafe('patch')
export const del = unsafe('delete')

/** Sends bytes of an upload from an offset on, up to 8 MiB. */
export async function sendBytes(
  path: Path<'patch'>,
  bytes: Blob,
  options: Options<{ parameters: { path: Record<string, string>; query?: Record<string, unknown> } }>,
): Promise<unknown> {
  return read(await call('patch', path, options, bytes))
}
