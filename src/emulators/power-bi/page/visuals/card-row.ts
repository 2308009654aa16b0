import type { CardFigure } from '#emulators/power-bi/data-set-sums.ts'
import { html, styled, svg } from './elements.ts'
import { MAIN_COLOUR } from './scale.ts'

/**
 * A card; `note` says how the figure compares, `full` the figure unshortened, `trend` its course over the months;
 * `colour` the mark before its label. */
export interface Card extends CardFigure {
  note: string
  full: string
  trend: readonly number[]
  colour?: string | undefined
}

const [SPARK_WIDTH, SPARK_HEIGHT] = [56, 26]

/** A small line without axes, from the least to the greatest value; it says nothing that the charts do not. */
function drawTrend(trend: readonly number[], colour: string): SVGElement {
  const [least, most] = [Math.min(...trend), Math.max(...trend)]
  const points = trend.map((value, index) => {
    const x = 2 + (index / Math.max(1, trend.length - 1)) * (SPARK_WIDTH - 4)
    const y = 2 + (1 - (value - least) / (most - least || 1)) * (SPARK_HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  const line = svg('polyline', { points: points.join(' '), class: 'line', stroke: colour })
  return svg('svg', { width: SPARK_WIDTH, height: SPARK_HEIGHT, class: 'trend', 'aria-hidden': 'true' }, line)
}

export function drawCards(cards: readonly Card[], onClick: () => void): HTMLElement {
  const items = cards.map((card) => {
    const mark = card.colour
      ? styled(html('span', { class: 'swatch' }), { background: card.colour })
      : undefined
    return html(
      'li',
      { class: 'card', 'data-card': card.id, title: card.full },
      html('p', { class: 'card-label' }, mark, card.label),
      html('p', { class: 'card-value', 'data-value': true }, card.formatted),
      html('p', { class: 'card-note' }, card.note),
      drawTrend(card.trend, card.colour ?? MAIN_COLOUR),
    )
  })
  const row = html('ul', { class: 'cards', 'aria-label': 'Indicadores' }, ...items)
  row.addEventListener('click', onClick)
  return row
}
