// Limits of the server as people read them, by the names that its file has for them.
import type { Answer } from '../../api/client'
import { bytes, count } from '../../words/format'

type Limits = Answer<'get', '/settings'>['limits']

export interface Limit {
  name: keyof Limits
  what: string
  say: (limits: Limits) => string
}

export const LIMITS: Limit[] = [
  { name: 'file-bytes', what: 'an uploaded file', say: (limits) => bytes(limits['file-bytes']) },
  { name: 'unpacked-bytes', what: 'what it may unpack to', say: (limits) => bytes(limits['unpacked-bytes']) },
  { name: 'project-bytes', what: 'all files of a project', say: (limits) => bytes(limits['project-bytes']) },
  { name: 'previews', what: 'previews of a project in a day, and what tells as much', say: (limits) => count(limits.previews) },
  { name: 'memory', what: 'memory of all jobs together', say: ({ memory }) => (typeof memory === 'number' ? bytes(memory) : '60 % of the machine') },
  { name: 'reserve-bytes', what: 'disk that is kept free', say: (limits) => bytes(limits['reserve-bytes']) },
  { name: 'calls', what: 'calls of a session', say: (limits) => `${limits.calls[0]} a second, ${limits.calls[1]} at once` },
  { name: 'connections', what: 'connections of one address', say: (limits) => count(limits.connections) },
  { name: 'head-seconds', what: 'time for the head of a request', say: (limits) => `${limits['head-seconds']} s` },
  { name: 'body-seconds', what: 'time for its body', say: (limits) => `${limits['body-seconds']} s` },
]
