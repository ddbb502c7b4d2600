// The choices so far, in one line of the frame: pages say what was chosen.

class Choices {
  #line = $state({ project: '', text: '' })

  /** What a page says of a project: `4,000 rows, 5 quasi, k=5, mondrian, loss 16 %`. */
  say(project: string, parts: (string | undefined | false)[]): void {
    this.#line = { project, text: parts.filter(Boolean).join(', ') }
  }

  of(project: string | undefined): string {
    return project !== undefined && this.#line.project === project ? this.#line.text : ''
  }
}

export const choices = new Choices()
