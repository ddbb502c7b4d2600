// Receipts of this visit: the head of the log after a request or a decision, to be kept elsewhere.
import { SvelteMap } from 'svelte/reactivity'

/** By the release. */
export const receipts = new SvelteMap<string, string>()
