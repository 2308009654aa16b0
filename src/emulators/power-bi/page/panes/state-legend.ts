import type { Selection } from '#emulators/power-bi/page/session.ts'
import { html, styled } from '#emulators/power-bi/page/visuals/elements.ts'
import { STATE_COLOURS } from '#emulators/power-bi/page/visuals/scale.ts'

/** The colours of the states; picking one narrows the page to it. Undefined when no chart tells states apart. */
export function drawStateLegend(
  estados: readonly string[],
  selection: Selection | undefined,
  onPick: (estado: string, isAdding: boolean) => void,
): HTMLElement | undefined {
  if (estados.length === 0) return undefined
  const picked = selection?.column === 'Estado' ? selection.values : []
  const buttons = estados.map((estado) => {
    const swatch = styled(html('span', { class: 'swatch' }), { background: STATE_COLOURS[estado] ?? '' })
    const attributes = {
      type: 'button',
      'data-key': `estado-${estado}`,
      'aria-pressed': String(picked.includes(estado)),
      class: picked.length > 0 && !picked.includes(estado) ? 'unpicked' : undefined,
    }
    const button = html('button', attributes, swatch, estado)
    button.addEventListener('click', (event) => onPick(estado, event.ctrlKey || event.metaKey))
    return button
  })
  return html('div', { class: 'legend', role: 'group', 'aria-label': 'Estado' }, ...buttons)
}
