import { area, curveMonotoneX, line } from 'd3-shape'
import { useId } from 'react'

const [WIDTH, HEIGHT] = [1000, 200]

export interface ChartPoint {
  label: string
  /** One per line; null leaves a gap. */
  values: readonly (number | null)[]
}

interface UsageChartProps {
  title: string
  points: readonly ChartPoint[]
  /** The name of each line, the first one filled. */
  lines: readonly string[]
  format: (value: number) => string
}

const LINE_CLASSES = ['stroke-brand', 'stroke-line-strong']

/** Draws lines over time as SVG, which follows light and dark; a table beside it has the values. */
export function UsageChart({ title, points, lines, format }: UsageChartProps) {
  const id = useId()
  const top = roundUp(Math.max(1, ...points.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const step = points.length > 1 ? WIDTH / (points.length - 1) : 0
  const toX = (index: number) => (step === 0 ? WIDTH / 2 : index * step)
  const toY = (value: number) => HEIGHT - (value / top) * HEIGHT
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption id={id} className="flex flex-wrap items-baseline justify-between gap-x-4 pb-3">
        <span className="font-semibold">{title}</span>
        {lines.length > 1 && (
          <span className="flex gap-4 text-muted text-xs">
            {lines.map((name, index) => (
              <span key={name} className="flex items-center gap-1.5">
                <svg aria-hidden="true" className="h-0.5 w-4 overflow-visible">
                  <line x2="16" className={LINE_CLASSES[index]} strokeWidth="2" />
                </svg>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div aria-hidden="true" className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-muted text-xs">
        <span className="flex flex-col justify-between text-right tabular-nums leading-none">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>0</span>
        </span>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden, as the table has its values */}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-48 w-full overflow-visible"
        >
          {[0, 0.5, 1].map((share) => (
            <line
              key={share}
              x2={WIDTH}
              y1={share * HEIGHT}
              y2={share * HEIGHT}
              vectorEffect="non-scaling-stroke"
              className="stroke-line"
            />
          ))}
          {lines.map((name, index) => {
            const toValue = ({ values }: ChartPoint) => values[index] ?? null
            const shape = {
              x: (_: ChartPoint, at: number) => toX(at),
              y: (point: ChartPoint) => toY(toValue(point) ?? 0),
            }
            const isDefined = (point: ChartPoint) => toValue(point) !== null
            const path = line<ChartPoint>(shape.x, shape.y).defined(isDefined).curve(curveMonotoneX)
            const filled = area<ChartPoint>(shape.x, HEIGHT, shape.y).defined(isDefined).curve(curveMonotoneX)
            return (
              <g key={name}>
                {index === 0 && <path d={filled([...points]) ?? ''} className="fill-brand/10" />}
                <path
                  d={path([...points]) ?? ''}
                  vectorEffect="non-scaling-stroke"
                  strokeWidth="2"
                  strokeLinecap="round"
                  strokeLinejoin="round"
                  className={`fill-none ${LINE_CLASSES[index]}`}
                />
              </g>
            )
          })}
          {points.map((point, index) => (
            <rect
              key={point.label}
              x={toX(index) - step / 2}
              width={step || WIDTH}
              height={HEIGHT}
              className="fill-transparent hover:fill-ink/5"
            >
              <title>{describePoint(point, lines, format)}</title>
            </rect>
          ))}
        </svg>
        <span className="col-start-2 flex justify-between pt-2">
          <span>{points[0]?.label}</span>
          {points.length > 1 && <span>{points.at(-1)?.label}</span>}
        </span>
      </div>
    </figure>
  )
}

function describePoint(
  { label, values }: ChartPoint,
  lines: readonly string[],
  format: (value: number) => string,
) {
  const texts = values.map(
    (value, index) => `${lines[index]}: ${value === null ? 'sem número' : format(value)}`,
  )
  return [label, ...texts].join('\n')
}

/** Rounds up to 1, 2, 4 or 6 times a power of ten, whose half is a round number too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 4, 6, 10].find((factor) => factor * power >= value) ?? 10)
}
