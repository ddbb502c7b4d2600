// What a reader of the screen is told of changes: at most one sentence in five seconds, the newest.

const PAUSE = 5000

class Voice {
  sentence = $state('')
  #spoken = 0
  #next: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  say(sentence: string): void {
    this.#next = sentence
    if (this.#timer) return
    const wait = Math.max(0, this.#spoken + PAUSE - Date.now())
    this.#timer = setTimeout(() => {
      this.sentence = this.#next ?? ''
      this.#spoken = Date.now()
      this.#timer = undefined
    }, wait)
  }
}

export const voice = new Voice()

export function speak(sentence: string): void {
  voice.say(sentence)
}
