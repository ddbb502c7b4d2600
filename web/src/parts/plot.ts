// The drawing of charts over time, loaded with the first chart.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { figure } from '../words/format'

interface Shape {
  lines: { name: string; look: 'after' | 'before' | 'limit' }[]
  unit: string
  width: number
  height: number
  range: [number, number] | undefined
  /** What is counted from left to right, where it is no time. */
  across: string | undefined
  /** Each line is the sum of those below it, and filled. */
  stacked: boolean
  /** What happened, drawn as lines from top to bottom. */
  marks: () => Mark[]
  /** The values of a line as they are, also where sums are drawn. */
  raw: (line: number) => (number | null)[]
}

/** Something that happened at a time. */
export interface Mark {
  at: number
  /** What it is called in the table. */
  name: string
  /** A sign for it, on top of its line. */
  sign: string
}

const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]]

export function draw(place: HTMLElement, shape: Shape, data: uPlot.AlignedData): uPlot {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `12px ${getComputedStyle(document.body).fontFamily}`
  const two = (part: number) => String(part).padStart(2, '0')
  const clock = (seconds: number, step: number) => {
    const at = new Date(seconds * 1000)
    if (step >= 86_400) return `${two(at.getMonth() + 1)}-${two(at.getDate())}`
    return `${two(at.getHours())}:${two(at.getMinutes())}${step < 60 ? `:${two(at.getSeconds())}` : ''}`
  }
  const axis: uPlot.Axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font,
  }
  let solid = 0
  const lines = shape.lines.map(({ name, look }): uPlot.Series => {
    if (look === 'limit') return { label: name, stroke: colour('bad'), width: 1.5, dash: [4, 3], points: { show: false } }
    if (look === 'before') return { label: name, stroke: colour('before-line'), width: 1.5, points: { show: false } }
    if (shape.stacked) {
      const level = Math.min(shape.lines.length - 1 - solid, 5)
      solid += 1
      return { label: name, stroke: colour('before-line'), width: 1, fill: colour(`level-${level}`), points: { show: false } }
    }
    const dash = DASHES[solid % DASHES.length]
    const tone = solid === 0 ? 'after' : `tone-${solid % 6}`
    solid += 1
    return { label: name, stroke: colour(tone), width: 2, points: { show: false }, ...(dash?.length ? { dash } : {}) }
  })
  const value = (_: uPlot, __: number | null, line: number, place: number | null) => {
    const at = place === null ? null : shape.raw(line - 1)[place]
    return at === null || at === undefined ? '–' : `${figure(at)} ${shape.unit}`
  }
  const drawMarks = (plot: uPlot) => {
    const { ctx, bbox } = plot
    ctx.save()
    ctx.strokeStyle = ctx.fillStyle = colour('muted')
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
    ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`
    ctx.textAlign = 'center'
    for (const mark of shape.marks()) {
      const x = plot.valToPos(mark.at / 1000, 'x', true)
      if (x < bbox.left || x > bbox.left + bbox.width) continue
      ctx.beginPath()
      ctx.moveTo(x, bbox.top)
      ctx.lineTo(x, bbox.top + bbox.height)
      ctx.stroke()
      ctx.fillText(mark.sign, x, bbox.top - 3 * devicePixelRatio)
    }
    ctx.restore()
  }
  return new uPlot(
    {
      width: Math.max(shape.width, 200),
      height: shape.height,
      series: [{ label: shape.across ?? 'time', value: (_, at: number | null) => (at === null ? '–' : shape.across ? figure(at) : clock(at, 1)) }, ...lines.map((line) => ({ ...line, value }))],
      axes: [{ ...axis, space: 72, values: (_, splits, __, ___, step) => splits.map((split) => (shape.across ? figure(split) : clock(split, step))) }, { ...axis, size: 56, values: (_, splits) => splits.map((split) => figure(split)) }],
      scales: {
        ...(shape.across ? { x: { time: false } } : {}),
        ...(shape.range ? { y: { range: shape.range } } : shape.stacked ? { y: { range: (_, __, most) => [0, (most || 1) * 1.05] } } : {}),
      },
      cursor: { drag: { x: true, y: false } },
      legend: { show: shape.lines.length > 1, live: true },
      hooks: { draw: [drawMarks] },
    },
    data,
    place,
  )
}
