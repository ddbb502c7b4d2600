// What things are, from the library's own pages: asked once each.
import { get } from '../api/client'
import type { Explained } from '../api/kinds'

const asked = new Map<string, Promise<Explained>>()

export function explain(topic: string): Promise<Explained> {
  const known = asked.get(topic)
  if (known) return known
  const answer = get('/explain/{topic}', { path: { topic }, background: true })
  asked.set(topic, answer)
  answer.catch(() => asked.delete(topic))
  return answer
}

/** A piece of a page of explanation. */
export type Block = { kind: 'text'; text: string } | { kind: 'list'; items: string[] }

/** The blocks of a page with simple marks. Examples for programmers are left out. */
export function blocks(page: string): Block[] {
  const prose = page.replace(/```[\s\S]*?```/g, '')
  const found: Block[] = []
  for (const block of prose.split(/\n\s*\n/)) {
    const text = block.trim()
    if (!text) continue
    if (!/^[-*] /.test(text)) found.push({ kind: 'text', text: join(text) })
    else found.push({ kind: 'list', items: text.split(/\n(?=[-*] )/).map((item) => join(item.slice(2))) })
  }
  return found
}

const join = (text: string) => text.replace(/\s*\n\s*/g, ' ')

/** Text between marks of emphasis and code. */
export function spans(text: string): { kind: 'plain' | 'strong' | 'em' | 'code'; text: string }[] {
  const parts = text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`)/).filter(Boolean)
  return parts.map((part) => {
    if (part.startsWith('**')) return { kind: 'strong' as const, text: part.slice(2, -2) }
    if (part.startsWith('`') && part.length > 1) return { kind: 'code' as const, text: part.slice(1, -1) }
    if (part.startsWith('*') && part.length > 2) return { kind: 'em' as const, text: part.slice(1, -1) }
    return { kind: 'plain' as const, text: part }
  })
}
