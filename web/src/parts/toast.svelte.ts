import { speak } from './speak.svelte'

export interface Toast {
  id: number
  text: string
  undo?: () => void | Promise<void>
}

/** How long it stays; longer while somebody is at it. */
export const STAYS = 10_000

class Toasts {
  all: Toast[] = $state([])
  #last = 0

  /** The number is for whoever takes it away again. */
  add(text: string, undo?: Toast['undo']): number {
    this.all.push(undo ? { id: ++this.#last, text, undo } : { id: ++this.#last, text })
    speak(undo ? `${text}. It can be undone.` : text)
    return this.#last
  }

  remove(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id)
  }
}

export const toasts = new Toasts()

/** Tells that something was done, with a way back where there is one. */
export function toast(text: string, undo?: Toast['undo']): void {
  toasts.add(text, undo)
}
