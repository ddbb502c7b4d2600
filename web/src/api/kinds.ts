// Names for what the interface answers, and by hand what its description leaves open: how jobs go on
// and fail, and the events of the live line. What jobs find is in `results.ts`.
import type { Answer, Item } from './client'
import type { Place } from './problem'

export type Id = string
export type Current = Answer<'get', '/session'>
export type Me = Answer<'get', '/me'>
export type Membership = Me['projects'][number]
export type Waiting = Answer<'get', '/inbox'>[number]
export type Wish = Answer<'get', '/wishes'>[number]
export type Catalogue = Answer<'get', '/catalogue'>
export type Choice = Catalogue['methods'][number]
export type Explained = Answer<'get', '/explain/{topic}'>
export type DataSet = Item<'/projects/{project}/datasets'>
export type Text = Item<'/projects/{project}/policies'>
export type Request = Item<'/projects/{project}/requests'>
export type Release = Item<'/projects/{project}/releases'>
export type Stream = Item<'/projects/{project}/streams'>
export type Readable = Item<'/projects/{project}/released-streams'>
export type Over = Answer<'get', '/projects/{project}/streams/{stream}/figures'>

/** How far a job is. */
export interface Progress {
  stage: string
  rows: number
  /** From 0 to 1, where it is known. */
  share?: number | null
}

/** Why a job has failed. */
export interface Failure {
  status: number
  code: string
  what: string
  help?: string
  place?: Place
}

type Described = Answer<'get', '/projects/{project}/jobs/{job}'>
export type Job = Omit<Described, 'progress' | 'problem'> & { progress?: Progress | null; problem?: Failure | null }

/** What the live line tells, by its kind. */
export interface News {
  job: { id: Id; state: Job['state']; stage?: string; rows?: number; share?: number | null }
  stream: { id: Id; at: number; figures: Record<string, number | null> }
  release: { id: Id; state: Request['state'] }
  inbox: { count: number }
  session: { locks_in: number }
  /** Something was missed: what is shown has to be read again. */
  resync: Record<string, never>
}
export type NewsKind = keyof News
