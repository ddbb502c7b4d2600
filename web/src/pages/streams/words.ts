// What streams are called: their states, and what happened to them.
import type { Stream } from '../../api/kinds'

export interface Said {
  word: string
  look: '' | 'good' | 'warn' | 'bad'
}

/** What a stream is, as one of those who look at it would say. */
export function stateOf(stream: Pick<Stream, 'decision' | 'state' | 'wanted'>): Said {
  if (stream.decision === 'waiting') return { word: 'waits for an officer', look: 'warn' }
  if (stream.decision === 'refused') return { word: 'refused', look: 'bad' }
  if (stream.state === 'failed') return { word: 'failed', look: 'bad' }
  if (stream.state === 'running' && stream.wanted === 'stopped') return { word: 'stops', look: 'warn' }
  if (stream.state === 'running' && stream.wanted === 'finished') return { word: 'ends', look: 'warn' }
  if (stream.state === 'running') return { word: 'running', look: 'good' }
  if (stream.state === 'finished') return { word: 'ended', look: '' }
  if (stream.state === 'starting' || stream.wanted !== 'stopped') return { word: 'starts', look: 'warn' }
  return { word: 'stopped', look: '' }
}

/** Whether it is on its way from one state to another. */
export function changes(stream: Pick<Stream, 'decision' | 'state' | 'wanted'>): boolean {
  return stream.decision === 'approved' && ['starts', 'stops', 'ends'].includes(stateOf(stream).word)
}

interface Happened {
  sign: string
  word: string
  meaning: string
}

const HAPPENED: Record<string, Happened> = {
  start: { sign: '▶', word: 'started', meaning: 'An operator started it.' },
  stop: { sign: '■', word: 'stopped', meaning: 'An operator stopped it; events that come are kept until it is started again.' },
  restart: { sign: '↻', word: 'restarted', meaning: 'An operator had its process begin again where it was.' },
  killed: { sign: '✕', word: 'killed', meaning: 'Its process was killed; another one went on where it was: no event was lost, and no row released twice.' },
  failed: { sign: '▲', word: 'failed', meaning: 'It could not go on, and another process could not either.' },
  hold: { sign: '■', word: 'held', meaning: 'The rules of the project were tightened, and its policy does not keep them; an officer approves it again once it does.' },
  finish: { sign: '◆', word: 'asked to end', meaning: 'An operator ended this version of the policy.' },
  finished: { sign: '◆', word: 'ended', meaning: 'All that was left and could be released was released.' },
}

export function happened(what: string): Happened {
  return HAPPENED[what] ?? { sign: '·', word: what, meaning: '' }
}
