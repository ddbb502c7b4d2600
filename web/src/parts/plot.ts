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
    const dash = DASHES[solid % DASHES.length]
    const tone = solid === 0 ? 'after' : `tone-${solid % 6}`
    solid += 1
    return { label: name, stroke: colour(tone), width: 2, points: { show: false }, ...(dash?.length ? { dash } : {}) }
  })
  const value = (_: uPlot, at: number | null) => (at === null ? '–' : `${figure(at)} ${shape.unit}`)
  return new uPlot(
    {
      width: Math.max(shape.width, 200),
      height: shape.height,
      series: [{ label: shape.across ?? 'time', value: (_, at: number | null) => (at === null ? '–' : shape.across ? figure(at) : clock(at, 1)) }, ...lines.map((line) => ({ ...line, value }))],
      axes: [{ ...axis, values: (_, splits, __, ___, step) => splits.map((split) => (shape.across ? figure(split) : clock(split, step))) }, { ...axis, size: 56, values: (_, splits) => splits.map((split) => figure(split)) }],
      scales: { ...(shape.across ? { x: { time: false } } : {}), ...(shape.range ? { y: { range: shape.range } } : {}) },
      cursor: { drag: { x: true, y: false } },
      legend: { show: shape.lines.length > 1, live: true },
    },
    data,
    place,
  )
}
