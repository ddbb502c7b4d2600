// Commands about a stream: for the programs that send, and for the same rows elsewhere.
import type { Answer } from '../../api/client'

type Bundle = Answer<'get', '/projects/{project}/policies/{text}/versions/{version}/bundle'>

/** The bundle of a policy, with the places that events and rows of a stream have. */
export function asStream(bundle: Bundle): Pick<Bundle, 'command' | 'files' | 'needs'> {
  const places = (text: string) => text.replaceAll('"data.csv"', '"events.jsonl"').replaceAll('"release.csv"', '"released.jsonl"')
  return {
    command: bundle.command,
    files: bundle.files.map(({ name, content }) => ({ name, content: places(content) })),
    needs: bundle.needs.map((one) => one.replace('the data, as data.csv', 'the events, as events.jsonl')),
  }
}

/** A made-up event for the columns of a policy, as a shell writes it. */
export function eventOf(policy: string): string {
  const section = /^\[columns\]\s*$([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(policy)?.[1] ?? ''
  const columns = [...section.matchAll(/^\s*("[^"]+"|[\w-]+)\s*=\s*\{(.*)\}/gm), ...policy.matchAll(/^\[columns\.("[^"]+"|[\w-]+)\]\s*\n([^[]*)/gm)]
  const fields = columns.flatMap(([, name = '', rest = '']) => {
    const role = /\brole\s*=\s*"([^"]+)"/.exec(rest)?.[1]
    const unit = /\bunit\s*=\s*"([^"]+)"/.exec(rest)?.[1]
    const type = /\btype\s*=\s*"([^"]+)"/.exec(rest)?.[1]
    if (role === 'drop') return []
    return [`${JSON.stringify(name.replaceAll('"', ''))}:"${valueOf(role, unit, type)}"`]
  })
  return `{${fields.join(',')}}`
}

function valueOf(role: string | undefined, unit: string | undefined, type: string | undefined): string {
  if (role === 'time') return unit === 'ms' ? `'$(date +%s000)'` : unit === 's' ? `'$(date +%s)'` : `'$(date -u +%FT%TZ)'`
  if (type === 'number' || type === 'integer') return '1'
  return role === 'subject' ? 'somebody' : 'something'
}

/** The line that sends an event. */
export function curl(address: string, token: string, event: string): string {
  return `echo '${event}' | curl --data-binary @- -H 'content-type: application/x-ndjson' -H 'authorization: Bearer ${token}' ${address}`
}
